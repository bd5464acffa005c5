package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
)

// goGuest builds testdata/goguest and compiles it once for all tests: a second of the
// engine's time. The native code lives in a file without a name.
var goGuest = sync.OnceValues(func() (*sandbox.Module, error) {
	dir, err := os.MkdirTemp("", "rk")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	wasm, err := buildGoGuest(dir)
	if err != nil {
		return nil, err
	}
	return mapped(dir, wasm)
})

func buildGoGuest(dir string) ([]byte, error) {
	path := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./testdata/goguest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, &buildError{err, string(text)}
	}
	return os.ReadFile(path)
}

type buildError struct {
	error
	text string
}

func (e *buildError) Error() string { return e.error.Error() + "\n" + e.text }

func loadGoGuest(tb testing.TB) *sandbox.Module {
	tb.Helper()
	m, err := goGuest()
	require.NoError(tb, err)
	return m
}

func goTask(do string) sandbox.Task {
	task := bare()
	task.Args = []string{"capsule", do}
	return task
}

func TestAGoGuestSeesWhatItIsGivenAndNothingElse(t *testing.T) {
	t.Parallel()
	m := loadGoGuest(t)
	outer, runtime := tempDir(t), tempDir(t)
	work := outer + "/work"
	require.NoError(t, os.Mkdir(work, 0o700))
	require.NoError(t, os.WriteFile(runtime+"/task.md", []byte("count"), 0o600))
	var stdout, stderr output
	task := goTask("see")
	task.Env = []string{"B=2", "A=", "C=x=y"}
	task.Stdin = []byte("line one\nline two")
	task.Stdout, task.Stderr = &stdout, &stderr
	task.Work, task.Runtime = openDir(t, work), openDir(t, runtime)
	assert.Empty(t, run(t, m, task).Detail())
	assert.Equal(t, `stdin: line one
stdin: line two
args: [capsule see]
env: [B=2 A= C=x=y]
task: count <nil>
change: true
`, stdout.String())
	assert.Equal(t, "seen\n", stderr.String())
	answer, err := os.ReadFile(work + "/out/result.txt")
	require.NoError(t, err)
	assert.Equal(t, "done", string(answer))
	kept, err := os.ReadFile(runtime + "/task.md")
	require.NoError(t, err)
	assert.Equal(t, "count", string(kept), "the guest changed what it may only read")
	assert.NoFileExists(t, outer+"/out.txt", "the guest left its folder")
}

func TestOutputIsWholeHoweverMuchThereIs(t *testing.T) {
	t.Parallel()
	var stdout, stderr output
	task := goTask("flood")
	task.Stdout, task.Stderr = &stdout, &stderr
	assert.Empty(t, run(t, loadGoGuest(t), task).Detail())
	assert.Len(t, stdout.String(), 1<<20)
	assert.Len(t, stderr.String(), 1<<20)
}

func TestTheEndsOfAGoGuest(t *testing.T) {
	t.Parallel()
	for do, c := range map[string]struct{ detail, stderr string }{
		"sleep":    {"", ""},
		"exit":     {"exit 5", ""},
		"panic":    {"exit 2", "panic: a fault of the guest"},
		"hoard":    {"exit 2 (memory 63Mi of 64Mi)", "out of memory"},
		"deadlock": {"exit 2", "all goroutines are asleep"},
	} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			var stderr output
			task := goTask(do)
			task.MemoryBytes = 64 << 20
			task.Stderr = &stderr
			assert.Equal(t, c.detail, run(t, loadGoGuest(t), task).Detail())
			assert.Contains(t, stderr.String(), c.stderr)
		})
	}
}
