package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
)

// sources are the files of this package that are part of programs.
func sources(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found[path] = string(text)
	}
	return found
}

// made finds, in which files and how often, a call is written.
func made(files map[string]string, call string) map[string]int {
	found := map[string]int{}
	for path, text := range files {
		if n := len(regexp.MustCompile(call).FindAllString(text, -1)); n > 0 {
			found[path] = n
		}
	}
	return found
}

// One engine lives in a process, is made once, and nothing of the engine's own WASI is
// linked to it: objects of two engines cannot meet (GHSA-hgjw-h833-99q9), and what its
// WASI does wrong cannot be reached.
func TestThereIsOneEngineAndNothingOfItsOwnWASI(t *testing.T) {
	t.Parallel()
	files := sources(t)
	assert.Equal(t, map[string]int{"engine.go": 1}, made(files, `wasmtime\.NewEngine`))
	assert.Equal(t, map[string]int{"engine.go": 1}, made(files, `sync\.OnceValues\(newEngine\)`))
	assert.Empty(t, made(files, `DefineWasi|WasiConfig|SetWasi|AllowShadowing`))
	assert.Equal(t, map[string]int{"other.go": 2}, made(map[string]string{"other.go": "x.DefineWasi() y.SetWasi()"}, `DefineWasi|SetWasi`))
}

// What a guest may import is preview 1 and our own two functions: no HTTP of WASI, no
// preview 0, nothing of components.
func TestTheImportsAreTheseAndNoOthers(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, name := range sandbox.Imports() {
		module, _, _ := strings.Cut(name, ".")
		count[module]++
	}
	assert.Equal(t, map[string]int{"wasi_snapshot_preview1": 46, "murmur": 2}, count)
}

// copysign loads 16 bytes where it needs 8 (GHSA-vc8c-j3xm-xj73). At the end of the
// memory the rest lies in the guard: nothing of the host is read. It can trap, and must
// not do anything else.
func TestCopysignAtTheEndOfTheMemoryStaysWithinIt(t *testing.T) {
	t.Parallel()
	m := loadText(t, body(`
	  (f64.store (i32.const 65528) (f64.const 3))
	  (if (f64.ne (f64.copysign (f64.load (i32.const 65528)) (f64.const -1)) (f64.const -3)) (then unreachable))
	  (f64.store (i32.const 65528) (f64.const -1))
	  (if (f64.ne (f64.copysign (f64.const 3) (f64.load (i32.const 65528))) (f64.const -3)) (then unreachable))`))
	assert.Contains(t, []string{"", "trap: out of bounds memory access"}, run(t, m, bare()).Detail())
}

// Two tasks never are in the engine at once: its registry of types does not stand it
// (GHSA-7qmx-3fpx-r45m).
func TestTasksCompilationsAndLoadsTakeTurns(t *testing.T) {
	t.Parallel()
	m := load(t, "protocol")
	entered, leave := make(chan struct{}), make(chan struct{})
	task := bare()
	task.Stdin = []byte("{}")
	task.Host = host(func(context.Context, string, []byte) []byte {
		close(entered)
		<-leave
		return nil
	})
	first := make(chan sandbox.Result)
	go func() { first <- m.Run(t.Context(), task) }()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	assert.True(t, m.Run(ctx, bare()).Canceled, "a second task was let in")
	wasm := []byte("\x00asm\x01\x00\x00\x00")
	_, err := sandbox.CompileUnscanned(ctx, wasm)
	assert.ErrorIs(t, err, context.DeadlineExceeded, "a compilation was let in")
	close(leave)
	assert.Empty(t, (<-first).Detail())
}

// docs/engine-holes.md says which test closes which hole.
func TestEveryTestThatTheListOfHolesNamesExists(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/engine-holes.md")
	require.NoError(t, err)
	written := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "../*_test.go", "../wasi/*_test.go", "../../integration/sandbox/*_test.go"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				written[match[1]] = true
			}
		}
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(doc), -1)
	require.Greater(t, len(named), 40)
	for _, match := range named {
		assert.True(t, written[match[1]], match[1])
	}
}
