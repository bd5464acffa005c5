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
func load(t testing.TB, name string) *sandbox.Module {
	t.Helper()
	text, err := guests.ReadFile("testdata/" + name + ".wat")
	require.NoError(t, err)
	return loadText(t, string(text))
}

func loadText(t testing.TB, text string) *sandbox.Module {
	t.Helper()
	wasm, err := wat.ToWasm(text)
	require.NoError(t, err)
	return loadWasm(t, wasm)
}

func loadWasm(t testing.TB, wasm []byte) *sandbox.Module {
	t.Helper()
	native, err := sandbox.Compile(t.Context(), wasm)
	require.NoError(t, err)
	module, err := sandbox.Load(int(nativeFile(t, native).Fd()))
	require.NoError(t, err)
	t.Cleanup(module.Close)
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
func nativeFile(t testing.TB, native []byte) *os.File {
	t.Helper()
	f, err := os.Create(tempDir(t) + "/m.cwasm")
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	_, err = f.Write(native)
	require.NoError(t, err)
	return f
}

func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func openDir(t testing.TB, path string) int {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return int(f.Fd())
}

// bare is a task without folders.
func bare() sandbox.Task { return sandbox.Task{Work: -1, Runtime: -1} }

// run runs a task that is expected to end by itself.
func run(t testing.TB, m *sandbox.Module, task sandbox.Task) sandbox.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	result := m.Run(ctx, task)
	require.False(t, result.Canceled, "the guest did not end by itself within %s", bound)
	return result
}

// stopped runs a guest that never ends, cancels it once it has called op "ready", and
// returns how long it then took to end.
func stopped(t testing.TB, m *sandbox.Module) (sandbox.Result, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
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

func contextEnded(t testing.TB) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}
