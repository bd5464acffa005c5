package wasm_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/internal/wasm"
	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
	"rookery/worker/tasks"
)

func load(tb testing.TB, text string) *wasm.Executor {
	tb.Helper()
	module, err := wat.ToWasm(text)
	require.NoError(tb, err)
	native, err := sandbox.Compile(tb.Context(), module)
	require.NoError(tb, err)
	file, err := os.CreateTemp("", "rk")
	require.NoError(tb, err)
	tb.Cleanup(func() {
		require.NoError(tb, os.Remove(file.Name()))
		file.Close()
	})
	_, err = file.Write(native)
	require.NoError(tb, err)
	executor, err := wasm.Load(int(file.Fd()))
	require.NoError(tb, err)
	return executor
}

// host answers every op with its own name.
type host struct{ asked chan string }

func (h host) Call(_ context.Context, op string, _ []byte) []byte {
	h.asked <- op
	return []byte(op)
}

func TestAModuleEndsInTheWordsOfARecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want string }{
		"by returning":       {``, ""},
		"by exit 0":          {`(call $exit (i32.const 0))`, ""},
		"by exit 3":          {`(call $exit (i32.const 3))`, "exit 3"},
		"by a trap":          {`unreachable`, "trap: unreachable"},
		"by a bad address":   {`(drop (i32.load (i32.const 65536)))`, "trap: out of bounds memory access"},
		"by a bad pointer":   {`(drop (call $call (i32.const 0) (i32.const 99999) (i32.const 0) (i32.const 0)))`, "trap: out of bounds memory access"},
		"after calling self": {`(drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0)))`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executor := load(t, `(module
				(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
				(import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
				(memory (export "memory") 1)
				(data (i32.const 0) "self")
				(func (export "_start") `+c.body+`))`)
			ops := host{make(chan string, 1)}
			got := executor.Run(t.Context(), tasks.Work{WorkFD: -1, RuntimeFD: -1}, ops)
			assert.Equal(t, tasks.Result{Detail: c.want, Exited: !strings.HasPrefix(c.want, "trap")}, got)
			if name == "after calling self" {
				assert.Equal(t, "self", <-ops.asked)
			}
		})
	}
}

func TestAModuleIsStoppedWithItsContextAndPrintsMeanwhile(t *testing.T) {
	t.Parallel()
	executor := load(t, `(module
		(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
		(import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
		(memory (export "memory") 1)
		(data (i32.const 0) "\08\00\00\00\03\00\00\00" "on\n")
		(func (export "_start")
			(drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
			(drop (call $call (i32.const 8) (i32.const 2) (i32.const 0) (i32.const 0)))
			(loop (br 0))))`)
	ops := host{make(chan string)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		assert.Equal(t, "on", <-ops.asked)
		cancel()
	}()
	var printed bytes.Buffer
	got := executor.Run(ctx, tasks.Work{Stdout: &printed, WorkFD: -1, RuntimeFD: -1}, ops)
	assert.True(t, got.Canceled)
	assert.Equal(t, "on\n", printed.String())
}

func TestWhatIsNoNativeCodeIsRefused(t *testing.T) {
	t.Parallel()
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer file.Close()
	_, err = wasm.Load(int(file.Fd()))
	assert.Error(t, err)
}
