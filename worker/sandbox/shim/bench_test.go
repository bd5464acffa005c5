package shim

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/worker/wasi"
)

// ops are the bodies of loops in a guest. "f" lies at 100, its descriptor at 8, and a
// buffer list at 16 (16 bytes), 24 (4 KiB) and 32 (1 MiB).
var ops = []struct {
	name, body string
	bytes      int64
}{
	{"Empty", `(drop (call $sched_yield))`, 0},
	{"Clock", `(drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 64)))`, 0},
	{"Random16", `(drop (call $random_get (i32.const 64) (i32.const 16)))`, 0},
	{"PollZero", `(drop (call $poll_oneoff (i32.const 200) (i32.const 304) (i32.const 1) (i32.const 64)))`, 0},
	{"StdoutLine", `(drop (call $fd_write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 64)))`, 0},
	{"OpenClose", `(drop (call $path_open (i32.const 3) (i32.const 1) (i32.const 100) (i32.const 1) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)))
		(drop (call $fd_close (i32.load (i32.const 64))))`, 0},
	{"Stat", `(drop (call $path_filestat_get (i32.const 3) (i32.const 1) (i32.const 100) (i32.const 1) (i32.const 400)))`, 0},
	{"Fstat", `(drop (call $fd_filestat_get (i32.load (i32.const 8)) (i32.const 400)))`, 0},
	{"Write16", `(drop (call $fd_pwrite (i32.load (i32.const 8)) (i32.const 16) (i32.const 1) (i64.const 0) (i32.const 64)))`, 0},
	{"Pread4K", `(drop (call $fd_pread (i32.load (i32.const 8)) (i32.const 24) (i32.const 1) (i64.const 0) (i32.const 64)))`, 0},
	{"Write1M", `(drop (call $fd_pwrite (i32.load (i32.const 8)) (i32.const 32) (i32.const 1) (i64.const 0) (i32.const 64)))`, 1 << 20},
	{"Read1M", `(drop (call $fd_pread (i32.load (i32.const 8)) (i32.const 32) (i32.const 1) (i64.const 0) (i32.const 64)))`, 1 << 20},
	{"Readdir", `(i64.store (i32.const 72) (i64.const 0))
		(loop $page
			(drop (call $fd_readdir (i32.const 4) (i32.const 65536) (i32.const 4096) (i64.load (i32.const 72)) (i32.const 64)))
			(local.set $at (i32.const 0))
			(block $short (loop $entry
				(br_if $short (i32.gt_u (i32.add (local.get $at) (i32.const 24)) (i32.load (i32.const 64))))
				(local.set $next (i32.add (i32.add (local.get $at) (i32.const 24)) (i32.load (i32.add (local.get $at) (i32.const 65552)))))
				(br_if $short (i32.gt_u (local.get $next) (i32.load (i32.const 64))))
				(i64.store (i32.const 72) (i64.load (i32.add (local.get $at) (i32.const 65536))))
				(local.set $at (local.get $next))
				(br $entry)))
			(br_if $page (i32.eq (i32.load (i32.const 64)) (i32.const 4096))))`, 0},
}

func benchModule() string {
	var b bytes.Buffer
	fmt.Fprintln(&b, "(module")
	for _, f := range wasi.Funcs() {
		fmt.Fprintf(&b, `(import %q %q (func $%s (param`, wasi.Module, f.Name, f.Name)
		for _, p := range f.Params {
			b.WriteString([]string{" i32", " i64"}[p])
		}
		b.WriteString(")")
		if len(f.Results) > 0 {
			b.WriteString(" (result i32)")
		}
		fmt.Fprintln(&b, "))")
	}
	fmt.Fprint(&b, `(memory (export "memory") 40)
		(data (i32.const 16) "\00\02\00\00\10\00\00\00" "\00\00\01\00\00\10\00\00" "\00\00\01\00\00\00\10\00")
		(data (i32.const 100) "f")
		(data (i32.const 216) "\01")
		(data (i32.const 512) "a line to print\n")
		(func (export "setup") (result i32)
			(call $path_open (i32.const 3) (i32.const 1) (i32.const 100) (i32.const 1) (i32.const 1) (i64.const 0x200042) (i64.const 0) (i32.const 0) (i32.const 8)))`)
	for _, op := range ops {
		fmt.Fprintf(&b, `(func (export %q) (param $n i32) (local $at i32) (local $next i32)
			(loop $again %s (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))`, op.name, op.body)
	}
	fmt.Fprintln(&b, ")")
	return b.String()
}

// BenchmarkWASI is ours beside the engine's own, in one run and on the same folders.
func BenchmarkWASI(b *testing.B) {
	engine := wasmtime.NewEngine()
	defer engine.Close()
	wasm, err := wasmtime.Wat2Wasm(benchModule())
	require.NoError(b, err)
	module, err := wasmtime.NewModule(engine, wasm)
	require.NoError(b, err)
	defer module.Close()
	for _, host := range []struct {
		name    string
		names   int // the engine's own takes half a minute for the 10,000 that ours lists
		prepare func(b *testing.B, linker *wasmtime.Linker, store *wasmtime.Store, work, many string)
	}{{"ours", 10_000, ours}, {"engine", 1000, theirs}} {
		b.Run(host.name, func(b *testing.B) {
			work, many := benchDir(b), benchDir(b)
			require.NoError(b, os.WriteFile(filepath.Join(work, "f"), make([]byte, 1<<20), 0o600))
			for i := range host.names {
				require.NoError(b, os.WriteFile(filepath.Join(many, fmt.Sprintf("file-%05d", i)), nil, 0o600))
			}
			store, linker := wasmtime.NewStore(engine), wasmtime.NewLinker(engine)
			defer store.Close()
			defer linker.Close()
			host.prepare(b, linker, store, work, many)
			instance, err := linker.Instantiate(store, module)
			require.NoError(b, err)
			e, err := instance.GetFunc(store, "setup").Call(store)
			require.NoError(b, err)
			require.Zero(b, e)
			for _, op := range ops {
				run := instance.GetFunc(store, op.name)
				b.Run(op.name, func(b *testing.B) {
					b.SetBytes(op.bytes)
					b.ReportAllocs()
					_, err := run.Call(store, int32(b.N))
					require.NoError(b, err)
				})
			}
		})
	}
}

func benchDir(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(b, err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func ours(b *testing.B, linker *wasmtime.Linker, store *wasmtime.Store, work, many string) {
	b.Helper()
	im, err := Define(linker, WASI(func(host any) *wasi.Host { return host.(*wasi.Host) }))
	require.NoError(b, err)
	c := wasi.Config{Ctx: b.Context(), Stdout: io.Discard}
	for _, dir := range []string{work, many} {
		fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		require.NoError(b, err)
		b.Cleanup(func() { unix.Close(fd) })
		c.Preopens = append(c.Preopens, wasi.Preopen{FD: fd, Name: dir, Quota: wasi.NewQuota(1<<40, 1<<40)})
	}
	host, err := wasi.New(c)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, host.Close()) })
	seat, err := im.Attach(store, host)
	require.NoError(b, err)
	b.Cleanup(seat.Detach)
}

func theirs(b *testing.B, linker *wasmtime.Linker, store *wasmtime.Store, work, many string) {
	b.Helper()
	require.NoError(b, linker.DefineWasi())
	c := wasmtime.NewWasiConfig()
	require.NoError(b, c.SetStdoutFile(filepath.Join(work, "stdout")))
	require.NoError(b, c.PreopenDir(work, "work"))
	require.NoError(b, c.PreopenDir(many, "many"))
	store.SetWasi(c)
}

// BenchmarkSetup is what a task pays before its guest runs: a host, a store and an
// instance, with the linker that serves all tasks.
func BenchmarkSetup(b *testing.B) {
	engine := wasmtime.NewEngine()
	defer engine.Close()
	wasm, err := wasmtime.Wat2Wasm(benchModule())
	require.NoError(b, err)
	module, err := wasmtime.NewModule(engine, wasm)
	require.NoError(b, err)
	defer module.Close()
	linker := wasmtime.NewLinker(engine)
	defer linker.Close()
	im, err := Define(linker, WASI(func(host any) *wasi.Host { return host.(*wasi.Host) }))
	require.NoError(b, err)
	for b.Loop() {
		host, err := wasi.New(wasi.Config{Ctx: b.Context()})
		require.NoError(b, err)
		store := wasmtime.NewStore(engine)
		seat, err := im.Attach(store, host)
		require.NoError(b, err)
		_, err = linker.Instantiate(store, module)
		require.NoError(b, err)
		seat.Detach()
		store.Close()
		require.NoError(b, host.Close())
	}
}
