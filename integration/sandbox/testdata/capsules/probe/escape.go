package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// What the test has put outside: this text in files, and files of this length.
const (
	marker = "OUTSIDE"
	length = 7777
)

// Attempts is what the guest has seen of the outside.
type Attempts struct {
	Calls, Succeeded int
	// Leaks are calls whose answer came from outside.
	Leaks []string
}

func (a *Attempts) tried(e int32) {
	a.Calls++
	if e == 0 {
		a.Succeeded++
	}
}

func (a *Attempts) seen(what string, text string, size int64) {
	if strings.Contains(text, marker) || size == length {
		a.Leaks = append(a.Leaks, what)
	}
}

// top is the absolute path of the folder that holds the outside, as the host knows it.
var top string

// layouts are ways out: of what the test has laid out, and of what this guest has made. None of them names anything but what the test
// made for this: a guest that does get out must do no harm to the machine that found it out. So a way to the root of the file system is
// always followed by top, and nothing climbs by a few steps more than the folders that the test has put around the work folder.
func layouts() []string {
	var all []string
	for _, way := range []string{
		"..", "../outside", "a/../../outside", "./../outside", ".//..//outside", "a/./.././../outside", "up", "abs", "chain", "deep/up", "a/b/out",
		"loop", "made", "made-up", "moved/out", "../murmur-runtime", "a", ".", "", "a/../..", "dots", "slash",
	} {
		for _, end := range []string{"", "/", "//", "/.", "/..", "/secret", "/secret/", "//secret", "/new", "/new/", "/dir", "/dir/", "/../outside/secret"} {
			if path := way + end; path == "" || path[0] != '/' {
				all = append(all, path)
			}
		}
	}
	climb := strings.Repeat("../", 64)
	for _, way := range []string{"", "/", "root", "magic", "self/root", climb, climb[:len(climb)-1], "a/" + climb, strings.Repeat("a/../", 60) + climb} {
		for _, end := range []string{"/outside/secret", "/outside/secret/", "/outside/dir", "/outside/new", "/outside//dir//secret", "/outside/"} {
			all = append(all, way+top+end)
		}
	}
	return append(all, "a\x00/../../outside", "../outside/\xff", strings.Repeat("a/../", 100)+"../outside/secret",
		"hard", "task.md", "task.md/", "delegations/../task.md", "../task.md")
}

const (
	work       = 3
	runtimeDir = 4
	mount      = 5
)

var dirs = []int32{work, runtimeDir, mount}

// escape tries every call with every path that may lead out, changing as much as it can. It begins when the test has laid things out.
func escape() *Attempts {
	waitFor("start")
	a := &Attempts{}
	prepare(a)
	for range 2 {
		for _, path := range layouts() {
			for _, fd := range dirs {
				a.look(fd, path)
			}
		}
		for _, path := range layouts() {
			for _, fd := range dirs {
				a.change(fd, path)
			}
		}
		a.pairs()
		a.move()
	}
	if err := os.WriteFile("done", nil, 0o600); err != nil {
		panic(err)
	}
	waitFor("checked")
	return a
}

// waitFor waits for the test. A deadline ends a guest whose test has failed.
func waitFor(name string) {
	for {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// prepare makes links of its own, and moves them to where they lead further than when they were made.
func prepare(a *Attempts) {
	for path, target := range map[string]string{
		"made": "../outside", "a/b/out": "../../..", "a/b/c/d": "../../../..", "made-up": "a/..", "x/y/out": "../../outside", "slash": "../outside/", "dots": "..//",
	} {
		a.tried(symlink(target, work, path))
	}
	for _, dir := range []string{"x", "x/y", "moved"} {
		p, n := str(dir)
		a.tried(wasiMkdir(work, p, n))
	}
	a.tried(symlink("../../a", work, "x/y/out"))
	a.tried(rename(work, "x/y/out", work, "moved/out"))
	a.tried(rename(work, "x/y/out", work, "out-of-x"))
	a.tried(rename(work, "up/", work, "up2/"))
	a.tried(rename(work, "up", work, "a/b/out"))
}

func (a *Attempts) look(fd int32, path string) {
	for _, lookup := range []int32{0, follow} {
		a.seen("stat "+path, "", stat(fd, lookup, path))
		for _, oflags := range []int32{0, directory} {
			opened, e := open(fd, path, lookup, oflags, read)
			a.tried(e)
			if e == 0 {
				a.seen("read "+path, receive(opened), 0)
				a.seen("list "+path, list(opened), 0)
				a.seen("stat beneath "+path, "", stat(opened, follow, "secret"))
				a.seen("stat above "+path, "", stat(opened, follow, "../outside/secret"))
				a.tried(wasiFileTimes(opened, 1, 1, setBoth))
				wasiClose(opened)
			}
		}
	}
	buf := make([]byte, 256)
	var n uint32
	p, pn := str(path)
	e := wasiReadlink(fd, p, pn, unsafe.Pointer(&buf[0]), int32(len(buf)), unsafe.Pointer(&n))
	runtime.KeepAlive(path)
	a.tried(e)
}

func (a *Attempts) change(fd int32, path string) {
	p, n := str(path)
	for _, lookup := range []int32{0, follow} {
		for _, oflags := range []int32{0, creat, trunc, creat | trunc, creat | directory} {
			for _, rights := range []int64{read, write, read | write} {
				opened, e := open(fd, path, lookup, oflags, rights)
				a.tried(e)
				if e == 0 {
					a.tried(send(opened, "changed by the guest"))
					a.tried(wasiSize(opened, 3))
					a.tried(wasiAllocate(opened, 0, 9999))
					a.tried(wasiFileTimes(opened, 2, 2, setBoth))
					wasiClose(opened)
				}
			}
		}
		a.tried(wasiTimes(fd, lookup, p, n, 3, 3, setBoth))
	}
	a.tried(wasiMkdir(fd, p, n))
	a.tried(symlink("../outside", fd, path))
	a.tried(symlink("task.md", fd, path))
	runtime.KeepAlive(path)
}

// pairs links and renames between every two folders.
func (a *Attempts) pairs() {
	paths := layouts()
	for i, from := range paths {
		for _, to := range []string{paths[(i*7+3)%len(paths)], "kept", "a/kept", "../kept", "up/kept", "task.md", "up/", "../outside/secret"} {
			for _, f := range dirs {
				for _, t := range dirs {
					fp, fn := str(from)
					tp, tn := str(to)
					a.tried(wasiLink(f, 0, fp, fn, t, tp, tn))
					a.tried(wasiLink(f, follow, fp, fn, t, tp, tn))
					if !needed(from) && !needed(to) {
						a.tried(rename(f, from, t, to))
						a.tried(rename(t, to, f, from))
					}
					runtime.KeepAlive(from)
					runtime.KeepAlive(to)
				}
			}
		}
		p, n := str(from)
		for _, f := range dirs {
			if f != work || !needed(from) {
				a.tried(wasiUnlink(f, p, n))
				a.tried(wasiRmdir(f, p, n))
			}
		}
		runtime.KeepAlive(from)
	}
}

// needed tells what the guest itself still stands on.
func needed(path string) bool { return path == "start" || path == "done" || path == "checked" }

// move gives the runtime folder's descriptor other numbers, and folders within it, and tries the changes again.
func (a *Attempts) move() {
	inner, e := open(runtimeDir, "delegations", follow, directory, read|write)
	if e != 0 {
		inner, e = open(runtimeDir, ".", follow, directory, read|write)
	}
	a.tried(e)
	spare, e := open(work, ".", follow, directory, read|write)
	a.tried(e)
	a.tried(wasiRenumber(inner, spare))
	for _, path := range []string{"task.md", "../task.md", "new", "x/../task.md", "delegations", "MURMUR.md"} {
		a.change(spare, path)
		a.tried(rename(work, "kept", spare, path))
		a.tried(rename(spare, path, work, "stolen"))
	}
	wasiClose(spare)
	again, e := open(work, ".", follow, directory, read|write)
	a.tried(e)
	a.look(again, "../outside/secret")
	a.change(again, "../outside/secret")
	wasiClose(again)
}

func symlink(target string, fd int32, path string) int32 {
	tp, tn := str(target)
	p, n := str(path)
	e := wasiSymlink(tp, tn, fd, p, n)
	runtime.KeepAlive(target)
	runtime.KeepAlive(path)
	return e
}

func rename(from int32, old string, to int32, path string) int32 {
	op, on := str(old)
	p, n := str(path)
	e := wasiRename(from, op, on, to, p, n)
	runtime.KeepAlive(old)
	runtime.KeepAlive(path)
	return e
}

// swapped looks into a folder that somebody outside swaps for a link, again and again.
func swapped() *Attempts {
	waitFor("start")
	a := &Attempts{}
	for stat(work, 0, "stop") < 0 {
		for range 100 {
			a.seen("stat swap/secret", "", stat(work, follow, "swap/secret"))
			a.seen("stat swap", "", stat(work, follow, "swap"))
			for _, path := range []string{"swap", "swap/", "swap/.", "swap/secret", "swap/dir/../secret"} {
				opened, e := open(work, path, follow, 0, read)
				a.tried(e)
				if e == 0 {
					a.seen(fmt.Sprint("list ", path), list(opened), 0)
					a.seen(fmt.Sprint("read ", path), receive(opened), 0)
					wasiClose(opened)
				}
			}
			opened, e := open(work, "swap/new", follow, creat, write)
			a.tried(e)
			if e == 0 {
				a.tried(send(opened, "changed by the guest"))
				wasiClose(opened)
			}
			p, n := str("swap/made")
			a.tried(wasiMkdir(work, p, n))
			a.tried(wasiRmdir(work, p, n))
			p, n = str("swap/secret")
			a.tried(wasiTimes(work, follow, p, n, 3, 3, setBoth))
			a.tried(wasiUnlink(work, p, n))
		}
	}
	return a
}
