package wasi

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// guest plays the guest: it puts arguments into a memory of its own and calls the
// table, as the engine would.
type guest struct {
	t      *testing.T
	h      *Host
	mem    []byte
	next   uint32
	top    string // the folder that holds all others: nothing outside "work" and "ro" may change
	work   string // descriptor 3
	ro     string // descriptor 4
	stdout bytes.Buffer
	stderr bytes.Buffer
	refuse []string
}

// Descriptors and the result that every guest of these tests has.
const (
	work   = 3
	frozen = 4
	result = 64 // where calls put their answer
)

type option func(*Config)

func withQuota(q *Quota) option              { return func(c *Config) { c.Preopens[0].Quota = q } }
func withContext(ctx context.Context) option { return func(c *Config) { c.Ctx = ctx } }
func withStdin(text string) option           { return func(c *Config) { c.Stdin = []byte(text) } }

func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func openDir(t *testing.T, dir string) int {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

func newGuest(t *testing.T, opts ...option) *guest {
	t.Helper()
	g := &guest{t: t, mem: make([]byte, 1<<20), next: 1024, top: scratch(t)}
	g.work, g.ro = filepath.Join(g.top, "work"), filepath.Join(g.top, "ro")
	require.NoError(t, os.Mkdir(g.work, 0o755))
	require.NoError(t, os.Mkdir(g.ro, 0o755))
	g.write("secret", "outside")
	g.write("ro/task.md", "the task")
	g.write("ro/sub/deep", "deep")
	c := Config{
		Args: []string{"guest", "one"}, Env: []string{"A=1", "B=two"},
		Stdout: &g.stdout, Stderr: &g.stderr, Ctx: t.Context(),
		Preopens: []Preopen{
			{FD: openDir(t, g.work), Name: "."},
			{FD: openDir(t, g.ro), Name: "murmur-runtime", ReadOnly: true},
		},
		Refused: func(op, path string, e Errno) { g.refuse = append(g.refuse, op+" "+path+" "+e.String()) },
	}
	for _, o := range opts {
		o(&c)
	}
	h, err := New(c)
	require.NoError(t, err)
	h.out.delay = time.Hour // on a busy machine a second passes between two calls
	g.h = h
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return g
}

// write makes a file below top, from outside.
func (g *guest) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.top, name)
	require.NoError(g.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(g.t, os.WriteFile(path, []byte(text), 0o644))
}

func (g *guest) read(name string) string {
	g.t.Helper()
	b, err := os.ReadFile(filepath.Join(g.top, name))
	require.NoError(g.t, err)
	return string(b)
}

// tree describes everything below a folder: names, kinds, link targets, contents and
// modification times.
func (g *guest) tree(name string) string {
	g.t.Helper()
	var b bytes.Buffer
	root := filepath.Join(g.top, name)
	err := filepath.Walk(root, func(path string, i os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(path + " " + i.Mode().String() + " " + i.ModTime().String())
		if i.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.Write(text)
		}
		b.WriteByte('\n')
		return nil
	})
	require.NoError(g.t, err)
	return b.String()
}

var rows = func() map[string]*Func {
	m := map[string]*Func{}
	for i := range table {
		m[table[i].Name] = &table[i]
	}
	return m
}()

// try calls a function and returns what the engine would see.
func (g *guest) try(name string, args ...uint64) (Errno, error) {
	g.t.Helper()
	f := rows[name]
	require.NotNil(g.t, f, name)
	require.Len(g.t, args, len(f.Params), name)
	var a Args
	copy(a[:], args)
	r, err := f.Call(g.h, g.mem, &a)
	return Errno(r), err
}

func (g *guest) call(name string, args ...uint64) Errno {
	g.t.Helper()
	e, err := g.try(name, args...)
	require.NoError(g.t, err, name)
	return e
}

// ok calls a function that must succeed and returns its 32-bit answer.
func (g *guest) ok(name string, args ...uint64) uint32 {
	g.t.Helper()
	require.Equal(g.t, Success, g.call(name, args...), name)
	return g.u32(result)
}

func (g *guest) u32(ptr uint32) uint32 { return memory(g.mem).u32(ptr) }
func (g *guest) u64(ptr uint32) uint64 { return memory(g.mem).u64(ptr) }

// put copies bytes into the guest's memory, anew each time.
func (g *guest) put(b []byte) uint64 {
	if int(g.next)+len(b)+8 > len(g.mem) {
		g.next = 1024
	}
	at := g.next
	copy(g.mem[at:], b)
	g.next += uint32(len(b)+15) &^ 7
	return uint64(at)
}

// str returns a string as the two arguments it is passed in.
func (g *guest) str(s string) (ptr, n uint64) { return g.put([]byte(s)), uint64(len(s)) }

// vec builds a list of buffers.
func (g *guest) vec(bufs ...[2]uint32) (ptr, n uint64) {
	b := make([]byte, 8*len(bufs))
	for i, v := range bufs {
		memory(b).put32(uint32(8*i), v[0])
		memory(b).put32(uint32(8*i+4), v[1])
	}
	return g.put(b), uint64(len(bufs))
}

const allRights = uint64(rightRead | rightWrite)

// open is path_open, with the link followed.
func (g *guest) open(dir uint64, path string, oflags, rights, fdflags uint64) (uint64, Errno) {
	g.t.Helper()
	p, n := g.str(path)
	e := g.call("path_open", dir, lookupFollow, p, n, oflags, rights, 0, fdflags, result)
	return uint64(g.u32(result)), e
}

// create opens a new file for reading and writing.
func (g *guest) create(path string) uint64 {
	g.t.Helper()
	fd, e := g.open(work, path, oCreat|oTrunc, allRights, 0)
	require.Equal(g.t, Success, e, path)
	return fd
}

func (g *guest) send(fd uint64, text string) (int, Errno) {
	g.t.Helper()
	p, n := g.str(text)
	v, c := g.vec([2]uint32{uint32(p), uint32(n)})
	e := g.call("fd_write", fd, v, c, result)
	return int(g.u32(result)), e
}

func (g *guest) receive(fd uint64, n uint32) (string, Errno) {
	g.t.Helper()
	buf := g.put(make([]byte, n))
	v, c := g.vec([2]uint32{uint32(buf), n})
	e := g.call("fd_read", fd, v, c, result)
	if e != Success {
		return "", e
	}
	return string(g.mem[buf : buf+uint64(g.u32(result))]), e
}

// at calls one of the functions that take a directory and a path.
func (g *guest) at(name string, dir uint64, path string) Errno {
	g.t.Helper()
	p, n := g.str(path)
	return g.call(name, dir, p, n)
}

func (g *guest) symlink(target string, dir uint64, path string) Errno {
	g.t.Helper()
	t, tn := g.str(target)
	p, n := g.str(path)
	return g.call("path_symlink", t, tn, dir, p, n)
}

func (g *guest) rename(from uint64, old string, to uint64, path string) Errno {
	g.t.Helper()
	o, on := g.str(old)
	p, n := g.str(path)
	return g.call("path_rename", from, o, on, to, p, n)
}

func (g *guest) link(from uint64, old string, to uint64, path string) Errno {
	g.t.Helper()
	o, on := g.str(old)
	p, n := g.str(path)
	return g.call("path_link", from, 0, o, on, to, p, n)
}

func (g *guest) stat(dir, flags uint64, path string) Errno {
	g.t.Helper()
	p, n := g.str(path)
	return g.call("path_filestat_get", dir, flags, p, n, result)
}

func openFile(t *testing.T) int {
	t.Helper()
	f, err := os.CreateTemp(scratch(t), "")
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return int(f.Fd())
}

func many(fd, n int) []Preopen {
	list := make([]Preopen, n)
	for i := range list {
		list[i] = Preopen{FD: fd, Name: "."}
	}
	return list
}
