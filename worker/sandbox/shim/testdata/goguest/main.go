// Command goguest is a capsule that tries what it should not. Its first argument says
// what; it prints what it got away with and exits 0.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

var deeds = map[string]func(args []string){
	"hello":   hello,
	"escape":  escape,
	"change":  change,
	"sleep":   func([]string) { time.Sleep(time.Hour) },
	"fifo":    func([]string) { fmt.Println(os.ReadFile("fifo")) },
	"fill":    fill,
	"litter":  litter,
	"hoard":   hoard,
	"list":    list,
	"swap":    swap,
	"sockets": sockets,
	"shout":   shout,
}

func main() { deeds[os.Args[1]](os.Args[2:]) }

// hello shows that ordinary things work.
func hello(args []string) {
	task, err := io.ReadAll(os.Stdin)
	check(err)
	check(os.MkdirAll("out/a/b", 0o777))
	check(os.WriteFile("out/a/b/draft", task, 0o666))
	check(os.Rename("out/a/b/draft", "out/result.txt"))
	check(os.RemoveAll("out/a"))
	f, err := os.OpenFile("out/result.txt", os.O_APPEND|os.O_WRONLY, 0)
	check(err)
	fmt.Fprint(f, "!")
	check(f.Sync())
	check(f.Close())
	brief, err := os.ReadFile("murmur-runtime/task.md")
	check(err)
	i, err := os.Stat("out/result.txt")
	check(err)
	fmt.Println(args, os.Getenv("REGION"), string(brief), i.Size(), i.Mode())
	fmt.Fprintln(os.Stderr, "to stderr")
	os.Exit(3)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func got(err error, what ...any) {
	if err == nil {
		fmt.Println(what...)
	}
}

// escape does everything to every path it is given. What succeeds may have happened
// inside, since Go shortens paths itself; what was seen outside is told.
func escape(paths []string) {
	check(os.WriteFile("mine", []byte("mine"), 0o666))
	for _, p := range paths {
		if b, err := os.ReadFile(p); err == nil && (string(b) == "SECRET" || strings.Contains(string(b), "root:")) {
			fmt.Println("read", p)
		}
		list, _ := os.ReadDir(p)
		for _, d := range list {
			if d.Name() == "outer" {
				fmt.Println("listed", p)
			}
		}
		if i, err := os.Stat(p); err == nil && i.Size() == int64(len("SECRET")) {
			fmt.Println("stat", p)
		}
		attack(p, "escaped")
	}
}

// attack tries all that changes something at or below a path.
func attack(p, tag string) {
	got := func(err error, what ...any) {
		if err == nil && tag == "stolen" {
			fmt.Println(what...)
		}
	}
	for _, flag := range []int{os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE, os.O_RDWR | os.O_TRUNC, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND} {
		f, err := os.OpenFile(p, flag, 0o666)
		if err == nil {
			f.WriteString("overwritten")
			f.Truncate(1)
			f.Close()
			got(nil, "opened", p, flag)
		}
	}
	got(os.Truncate(p, 0), "truncated", p)
	got(os.Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)), "times of", p)
	got(os.Mkdir(p+"/"+tag, 0o777), "mkdir in", p)
	got(os.Mkdir(p, 0o777), "mkdir", p)
	got(os.Symlink("mine", p+"/"+tag), "symlink in", p)
	got(os.Link("mine", p+"/"+tag), "link into", p)
	got(os.Link(p, tag), "link of", p)
	got(os.Rename("mine", p), "renamed onto", p)
	got(os.Rename("mine", p+"/"+tag), "renamed into", p)
	got(os.Rename(p, tag), "renamed", p)
	got(os.Remove(p), "removed", p)
	got(syscall.Rmdir(p), "rmdir", p)
	os.RemoveAll(p)
}

// change attacks what should be read-only, and a link of its own to it.
func change(paths []string) {
	check(os.WriteFile("mine", []byte("mine"), 0o666))
	for _, p := range paths {
		attack(p, "stolen")
	}
	os.RemoveAll("murmur-runtime")
	f, err := os.Open("murmur-runtime/task.md")
	check(err)
	_, err = f.WriteString("x")
	got(err, "wrote to a reader")
	got(f.Truncate(0), "truncated a reader")
}

// fill writes until it may not.
func fill([]string) {
	f, err := os.Create("big")
	check(err)
	n, chunk := 0, make([]byte, 64<<10)
	for err == nil {
		var c int
		c, err = f.Write(chunk)
		n += c
	}
	fmt.Println(n, errors.Is(err, syscall.EDQUOT))
}

// litter makes files until it may not, then one more after removing one.
func litter([]string) {
	n := 0
	for {
		if err := os.WriteFile(fmt.Sprint("f", n), nil, 0o666); err != nil {
			fmt.Println(n, errors.Is(err, syscall.EDQUOT))
			break
		}
		n++
	}
	check(os.Remove("f0"))
	check(os.WriteFile("again", nil, 0o666))
}

// hoard opens files until it may not.
func hoard([]string) {
	check(os.WriteFile("f", nil, 0o666))
	var open []*os.File
	for {
		f, err := os.Open("f")
		if err != nil {
			fmt.Println(len(open), errors.Is(err, syscall.EMFILE))
			break
		}
		open = append(open, f)
	}
	for _, f := range open {
		check(f.Close())
	}
	_, err := os.Open("f")
	check(err)
}

func list([]string) {
	d, err := os.ReadDir("many")
	check(err)
	n := 0
	check(filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error { n++; return err }))
	fmt.Println(len(d), n)
}

// swap reads a file whose directory is being swapped for a link that leads out.
func swap([]string) {
	inside := 0
	for range 2000 {
		if b, err := os.ReadFile("d/f"); err == nil {
			if string(b) != "inside" {
				fmt.Println("read", string(b))
			}
			inside++
		}
		d, _ := os.ReadDir("d")
		for _, e := range d {
			if i, err := e.Info(); err == nil && strings.HasPrefix(i.Name(), "outer") {
				fmt.Println("saw", i.Name())
			}
		}
		os.WriteFile("d/new", nil, 0o666)
		os.Rename("d/new", "d/newer")
		os.Remove("d/newer")
	}
	if inside == 0 {
		fmt.Println("never inside")
	}
}

func sockets([]string) {
	_, err := net.Dial("tcp", "127.0.0.1:1")
	got(err, "dialed")
	for fd := range 16 {
		if _, _, err := syscall.Accept(fd); err == nil {
			fmt.Println("accepted on", fd)
		}
		got(syscall.Shutdown(fd, 2), "shut", fd)
	}
}

// shout writes more than any log holds.
func shout([]string) {
	line := strings.Repeat("x", 1023) + "\n"
	for range 1 << 13 {
		os.Stdout.WriteString(line)
	}
	os.Stderr.WriteString("done\n")
}
