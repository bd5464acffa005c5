package shim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/worker/wasi"
)

// wasiRig is the engine that all guests of this file share: engine, linker and module
// are made once, and guests run one after the other.
var wasiRig = sync.OnceValues(func() (r struct {
	engine  *wasmtime.Engine
	linker  *wasmtime.Linker
	imports *Imports
	guest   *wasmtime.Module
}, err error) {
	r.engine = wasmtime.NewEngine()
	r.linker = wasmtime.NewLinker(r.engine)
	if r.imports, err = Define(r.linker, WASI(func(host any) *wasi.Host { return host.(*wasi.Host) })); err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "rk")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./testdata/goguest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		return r, fmt.Errorf("%w: %s", err, text)
	}
	r.guest, err = wasmtime.NewModuleFromFile(r.engine, path)
	return r, err
})

// running keeps guests apart: stores of one engine are made and closed by one
// goroutine at a time.
var running sync.Mutex

// world is the folders and the outcome of one guest.
type world struct {
	t              *testing.T
	top, work, ro  string
	config         wasi.Config
	stdout, stderr bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	w := &world{t: t, top: top, work: filepath.Join(top, "work"), ro: filepath.Join(top, "runtime")}
	w.write("work/.keep", "")
	w.write("runtime/task.md", "the task")
	w.write("runtime/delegations/d.txt", "an outcome")
	w.write("outside/f", "SECRET")
	w.write("outside/outer", "")
	w.config = wasi.Config{
		Stdout: &w.stdout, Stderr: &w.stderr, Ctx: t.Context(),
		Preopens: []wasi.Preopen{{FD: w.open(w.work), Name: "/"}, {FD: w.open(w.ro), Name: "/murmur-runtime", ReadOnly: true}},
	}
	return w
}

func (w *world) open(dir string) int {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { unix.Close(fd) })
	return fd
}

func (w *world) write(name, text string) {
	path := filepath.Join(w.top, name)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o666))
}

// snapshot is everything about a folder that a guest could change.
func (w *world) snapshot(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		require.NoError(w.t, filepath.Walk(filepath.Join(w.top, name), func(p string, i os.FileInfo, err error) error {
			require.NoError(w.t, err)
			text := []byte{}
			if i.Mode().IsRegular() {
				text, err = os.ReadFile(p)
			}
			fmt.Fprintln(&b, p, i.Mode(), i.ModTime(), i.Size(), string(text))
			return err
		}))
	}
	return b.String()
}

// run runs the Go guest and returns how it ended: an *ExitError, a *CanceledError, or
// the trap.
func (w *world) run(args ...string) error {
	w.t.Helper()
	r, err := wasiRig()
	require.NoError(w.t, err)
	return w.runModule(r.guest, args...)
}

func (w *world) runModule(m *wasmtime.Module, args ...string) error {
	w.t.Helper()
	r, err := wasiRig()
	require.NoError(w.t, err)
	running.Lock()
	defer running.Unlock()
	w.config.Args = append([]string{"guest"}, args...)
	host, err := wasi.New(w.config)
	require.NoError(w.t, err)
	store := wasmtime.NewStore(r.engine)
	defer store.Close()
	seat, err := r.imports.Attach(store, host)
	require.NoError(w.t, err)
	defer seat.Detach()
	instance, err := r.linker.Instantiate(store, m)
	require.NoError(w.t, err)
	_, err = instance.GetFunc(store, "_start").Call(store)
	require.NoError(w.t, host.Close())
	return errors.Join(seat.Err(), err)
}

func (w *world) exits(code uint32, err error) {
	w.t.Helper()
	var exit *wasi.ExitError
	require.ErrorAs(w.t, err, &exit, w.stderr.String())
	require.Equal(w.t, code, exit.Code, w.stdout.String()+w.stderr.String())
}

func TestAGoGuestDoesOrdinaryThings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config.Stdin = []byte("do this")
	w.config.Env = []string{"REGION=eu"}
	w.exits(3, w.run("hello", "a", "b c"))
	require.Equal(t, "[a b c] eu the task 8 -rw-------\n", w.stdout.String())
	require.Equal(t, "to stderr\n", w.stderr.String())
	text, err := os.ReadFile(filepath.Join(w.work, "out/result.txt"))
	require.NoError(t, err)
	require.Equal(t, "do this!", string(text))
}

func TestAGoGuestDoesNotEscape(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, os.MkdirAll(filepath.Join(w.work, "a/b"), 0o755))
	for link, to := range map[string]string{
		"abs": w.top + "/outside", "rel": "../outside", "a/b/far": "../../../outside", "top": "..", "chain": "top/outside",
		"slash": "../outside/", "proc": "/proc/self/root", "file": "../outside/f",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(w.work, link)))
	}
	args := []string{"escape"}
	for _, base := range []string{"../outside", "a/../../outside", "./a//../..//outside", w.top + "/outside", "rel", "abs", "a/b/far", "chain", "top/outside", "slash"} {
		args = append(args, base+"/f", base+"/", base+"/new", base+"/../outside/f")
	}
	// Nothing here names what the test has not made: it may run as root.
	args = append(args, "proc"+w.top+"/outside/f", "..", "../", "top/", "top/work/../outside/f", "file/")
	var refused []string
	w.config.Refused = func(op, path string, e wasi.Errno) { refused = append(refused, op+" "+path+" "+e.String()) }
	before := w.snapshot("outside", "runtime")
	w.exits(0, w.run(args...))
	require.Empty(t, w.stdout.String())
	require.Equal(t, before, w.snapshot("outside", "runtime"))
	require.True(t, slices.Contains(refused, "path_open rel/f notcapable"))
}

func TestAGoGuestDoesNotChangeTheRuntimeFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.snapshot("runtime")
	w.exits(0, w.run("change", "murmur-runtime/task.md", "murmur-runtime/delegations/d.txt", "murmur-runtime/delegations", "murmur-runtime/new",
		"murmur-runtime/delegations/new", "murmur-runtime/delegations/../task.md", "murmur-runtime/", "murmur-runtime/."))
	require.Empty(t, w.stdout.String())
	require.Equal(t, before, w.snapshot("runtime"))
}

func TestAGoGuestThatWaitsEndsWithItsTask(t *testing.T) {
	t.Parallel()
	for _, deed := range []string{"sleep", "fifo"} {
		w := newWorld(t)
		require.NoError(t, unix.Mkfifo(filepath.Join(w.work, "fifo"), 0o600))
		_, err := wasiRig() // not on the guest's time
		require.NoError(t, err)
		cause := errors.New("deadline 600s")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, cause)
		defer cancel()
		w.config.Ctx = ctx
		err = w.run(deed)
		var c *wasi.CanceledError
		require.ErrorAs(t, err, &c, deed+w.stdout.String())
		require.ErrorIs(t, err, cause)
		require.Error(t, ctx.Err())
	}
}

func TestAGoGuestStaysWithinItsQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config.Preopens[0].Quota = wasi.NewQuota(1_000_000, 5)
	w.exits(0, w.run("fill"))
	require.Equal(t, "1000000 true\n", w.stdout.String())
	i, err := os.Stat(filepath.Join(w.work, "big"))
	require.NoError(t, err)
	require.EqualValues(t, 1_000_000, i.Size())
	w.stdout.Reset()
	w.exits(0, w.run("litter"))
	require.Equal(t, "4 true\n", w.stdout.String())
}

func TestAGoGuestHasABoundedNumberOfDescriptors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exits(0, w.run("hoard"))
	require.Equal(t, "1019 true\n", w.stdout.String(), "1,024 less three streams and two preopens")
}

func TestAGoGuestListsALargeFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, os.Mkdir(filepath.Join(w.work, "many"), 0o755))
	for i := range 2000 {
		w.write(fmt.Sprintf("work/many/file-%d", i), "")
	}
	w.exits(0, w.run("list"))
	require.Equal(t, "2000 2003\n", w.stdout.String())
}

func TestAGoGuestSeesNothingOfALinkSwappedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("work/d/f", "inside")
	require.NoError(t, os.Symlink("../outside", filepath.Join(w.work, "e")))
	before := w.snapshot("outside")
	fd := w.open(w.work)
	done, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case <-done:
				return
			default:
				_ = unix.Renameat2(fd, "d", fd, "e", unix.RENAME_EXCHANGE)
			}
		}
	}()
	err := w.run("swap")
	close(done)
	<-finished
	w.exits(0, err)
	require.Empty(t, w.stdout.String())
	require.Equal(t, before, w.snapshot("outside"))
}

func TestAGoGuestHasNoSockets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exits(0, w.run("sockets"))
	require.Empty(t, w.stdout.String())
}

func TestAGoGuestsOutputIsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exits(0, w.run("shout"))
	require.Equal(t, 8<<20, w.stdout.Len())
	require.Equal(t, "done\n", w.stderr.String())
}

// The numbers of a hostile guest come straight from WebAssembly: no library checks
// them on the way.
func TestAHostileGuestGetsErrors(t *testing.T) {
	t.Parallel()
	r, err := wasiRig()
	require.NoError(t, err)
	wasm, err := wasmtime.Wat2Wasm(hostile)
	require.NoError(t, err)
	m, err := wasmtime.NewModule(r.engine, wasm)
	require.NoError(t, err)
	defer m.Close()
	w := newWorld(t)
	w.exits(0, w.runModule(m))
}

// hostile exits with the number of the check that fails, or with 0.
const hostile = `(module
	(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
	(import "wasi_snapshot_preview1" "fd_renumber" (func $renumber (param i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
	(import "wasi_snapshot_preview1" "fd_readdir" (func $readdir (param i32 i32 i32 i64 i32) (result i32)))
	(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
	(memory (export "memory") 1)
	(data (i32.const 0) "\f0\ff\00\00\20\00\00\00")
	(data (i32.const 8) "\ff\ff\ff\ff\ff\ff\ff\ff")
	(func $want (param $check i32) (param $got i32) (param $wanted i32)
		(if (i32.ne (local.get $got) (local.get $wanted)) (then (call $exit (local.get $check)))))
	(func (export "_start")
		(call $want (i32.const 1) (call $renumber (i32.const 3) (i32.const 1000000000)) (i32.const 8))
		(call $want (i32.const 2) (call $renumber (i32.const 3) (i32.const -1)) (i32.const 8))
		(call $want (i32.const 3) (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)) (i32.const 21))
		(call $want (i32.const 4) (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 64)) (i32.const 21))
		(call $want (i32.const 5) (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 64)) (i32.const 21))
		(call $want (i32.const 6) (call $write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 64)) (i32.const 28))
		(call $want (i32.const 7) (call $random (i32.const 65535) (i32.const 2)) (i32.const 21))
		(call $want (i32.const 8) (call $random (i32.const -1) (i32.const -1)) (i32.const 21))
		(call $want (i32.const 9) (call $poll (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 64)) (i32.const 28))
		(call $want (i32.const 10) (call $poll (i32.const 65500) (i32.const 0) (i32.const 1) (i32.const 64)) (i32.const 21))
		(call $want (i32.const 11) (call $readdir (i32.const 3) (i32.const 0) (i32.const -1) (i64.const 0) (i32.const 64)) (i32.const 21))
		(call $want (i32.const 12) (call $readdir (i32.const 3) (i32.const 100) (i32.const 100) (i64.const -1) (i32.const 64)) (i32.const 28))
		(call $want (i32.const 13) (call $open (i32.const 3) (i32.const 0) (i32.const -8) (i32.const 9) (i32.const 1) (i64.const -1)
			(i64.const -1) (i32.const 0) (i32.const 64)) (i32.const 21))
		(drop (memory.grow (i32.const 1)))
		(call $want (i32.const 14) (call $random (i32.const 65535) (i32.const 2)) (i32.const 0))
		(call $exit (i32.const 0))))`
