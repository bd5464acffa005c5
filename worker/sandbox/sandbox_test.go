package sandbox_test

import (
	"bytes"
	"context"
	"embed"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

//go:embed testdata/*.wat
var guests embed.FS

// bound is far above what any run here takes, so that a hang fails instead of lasting.
const bound = 20 * time.Second

// load compiles the guest testdata/<name>.wat and maps it.
func load(tb testing.TB, name string) *sandbox.Module {
	tb.Helper()
	text, err := guests.ReadFile("testdata/" + name + ".wat")
	require.NoError(tb, err)
	return loadText(tb, string(text))
}

func loadText(tb testing.TB, text string) *sandbox.Module {
	tb.Helper()
	wasm, err := wat.ToWasm(text)
	require.NoError(tb, err)
	return loadWasm(tb, wasm)
}

func loadWasm(tb testing.TB, wasm []byte) *sandbox.Module {
	tb.Helper()
	native, err := sandbox.Compile(tb.Context(), wasm)
	require.NoError(tb, err)
	return loadNative(tb, native)
}

func loadNative(tb testing.TB, native []byte) *sandbox.Module {
	tb.Helper()
	module, err := sandbox.Load(int(nativeFile(tb, native).Fd()))
	require.NoError(tb, err)
	tb.Cleanup(module.Close)
	return module
}

// mapped is for a module that several tests share: it is closed with the process.
func mapped(dir string, wasm []byte) (*sandbox.Module, error) {
	native, err := sandbox.Compile(context.Background(), wasm)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(dir + "/shared.cwasm")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(native); err != nil {
		return nil, err
	}
	return sandbox.Load(int(f.Fd()))
}

// nativeFile writes native code where the test can have it mapped.
func nativeFile(tb testing.TB, native []byte) *os.File {
	tb.Helper()
	f, err := os.Create(tempDir(tb) + "/m.cwasm")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = f.Close() })
	_, err = f.Write(native)
	require.NoError(tb, err)
	return f
}

func tempDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func openDir(tb testing.TB, path string) int {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = f.Close() })
	return int(f.Fd())
}

// bare is a task without folders.
func bare() sandbox.Task { return sandbox.Task{Work: -1, Runtime: -1} }

// run runs a task that is expected to end by itself.
func run(tb testing.TB, m *sandbox.Module, task sandbox.Task) sandbox.Result {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), bound)
	defer cancel()
	result := m.Run(ctx, task)
	require.False(tb, result.Canceled, "the guest did not end by itself within %s", bound)
	return result
}

// stopped runs a guest that never ends, cancels it once it has called op "ready", and
// returns how long it then took to end.
func stopped(tb testing.TB, m *sandbox.Module) (sandbox.Result, time.Duration) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), bound)
	defer cancel()
	var begun time.Time
	task := bare()
	task.Host = host(func(context.Context, string, []byte) []byte {
		time.AfterFunc(50*time.Millisecond, func() {
			begun = time.Now()
			cancel()
		})
		return nil
	})
	result := m.Run(ctx, task)
	return result, time.Since(begun)
}

// host is a HostCalls of one function.
type host func(ctx context.Context, op string, req []byte) []byte

func (h host) Call(ctx context.Context, op string, req []byte) []byte { return h(ctx, op, req) }

// output collects what a guest writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
