package sandbox_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

// The two ends of what guests are: one written by hand, one with a language runtime.
func benchModules(b *testing.B) map[string][]byte {
	b.Helper()
	text, err := guests.ReadFile("testdata/protocol.wat")
	require.NoError(b, err)
	small, err := wat.ToWasm(string(text))
	require.NoError(b, err)
	large, err := buildGoGuest(tempDir(b))
	require.NoError(b, err)
	return map[string][]byte{"WAT": small, "Go": large}
}

// BenchmarkCompile beside BenchmarkLoad is what the native-code cache saves.
func BenchmarkCompile(b *testing.B) {
	for name, wasm := range benchModules(b) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := sandbox.Compile(b.Context(), wasm)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for name, wasm := range benchModules(b) {
		b.Run(name, func(b *testing.B) {
			native, err := sandbox.Compile(b.Context(), wasm)
			require.NoError(b, err)
			fd := int(nativeFile(b, native).Fd())
			for b.Loop() {
				m, err := sandbox.Load(fd)
				require.NoError(b, err)
				m.Close()
			}
		})
	}
}

// BenchmarkRun is a whole task: a fresh instance, its entry, its end.
func BenchmarkRun(b *testing.B) {
	for name, wasm := range benchModules(b) {
		b.Run(name, func(b *testing.B) {
			m := loadWasm(b, wasm)
			task := bare()
			task.Args = []string{"capsule", "nothing"}
			dir := tempDir(b)
			task.Work, task.Runtime = openDir(b, dir), openDir(b, dir)
			for b.Loop() {
				require.Empty(b, m.Run(context.Background(), task).Detail())
			}
		})
	}
}

// BenchmarkOverflow is the dearest of traps: the engine walks the whole stack.
func BenchmarkOverflow(b *testing.B) {
	m := loadText(b, body(`(call $deep)`))
	for b.Loop() {
		require.Equal(b, "trap: call stack exhausted", m.Run(context.Background(), bare()).Detail())
	}
}

// BenchmarkCall is one murmur.call that answers two bytes, with its two takes.
func BenchmarkCall(b *testing.B) {
	m := loadText(b, protocolBody(`(local $n i32)
	  (local.set $n (i32.const `+strconv.Itoa(calls)+`))
	  (loop $again
	    (drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0)))
	    (drop (call $take (i32.const 64) (i32.const 64)))
	    (drop (call $take (i32.const 64) (i32.const 64)))
	    (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))`))
	task := bare()
	task.Host = host(func(context.Context, string, []byte) []byte { return []byte("{}") })
	for b.Loop() {
		require.Empty(b, m.Run(context.Background(), task).Detail())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}

const calls = 100_000
