package launcher_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/launcher"
	"rookery/launcher/compose"
)

// compile has the fake compiler do what the text says.
func compile(ctx context.Context, t *testing.T, text string, limits launcher.CompileLimits) (string, error) {
	t.Helper()
	h := newHost(t)
	source := filepath.Join(h.state.Root, "wasm")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	wasm, err := os.Open(source)
	require.NoError(t, err)
	defer wasm.Close()
	out, err := os.Create(filepath.Join(h.state.Root, "native"))
	require.NoError(t, err)
	defer out.Close()
	failed := h.Compile(ctx, wasm, out, limits)
	native, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	return string(native), failed
}

func TestCompileHandsOverTwoDescriptorsAndNothingElse(t *testing.T) {
	t.Parallel()
	native, err := compile(context.Background(), t, "a module", launcher.CompileLimits{})
	require.NoError(t, err)
	assert.Equal(t, "native code of a module", native)

	text, err := compile(context.Background(), t, "environment", launcher.CompileLimits{})
	require.NoError(t, err)
	var found report
	require.NoError(t, json.Unmarshal([]byte(text), &found))
	assert.Equal(t, compose.ToolEnv(), found.Env)
	assert.Len(t, found.Files, 5)
	assert.Equal(t, "/dev/null", found.Files[0])
	assert.True(t, strings.HasPrefix(found.Files[1], "pipe:"))
	assert.Equal(t, found.Files[1], found.Files[2])
	assert.Equal(t, "wasm", filepath.Base(found.Files[3]))
	assert.Equal(t, "native", filepath.Base(found.Files[4]))
}

func TestCompileFailsWithTheLastLineEscaped(t *testing.T) {
	t.Parallel()
	_, err := compile(context.Background(), t, "fail", launcher.CompileLimits{})
	require.EqualError(t, err, `compile: exit status 1: not a module:\x1b[31m bad magic`)
	_, err = compile(context.Background(), t, "silently", launcher.CompileLimits{})
	require.EqualError(t, err, "compile: exit status 66")
	_, err = compile(context.Background(), t, "print", launcher.CompileLimits{})
	require.EqualError(t, err, "compile: exit status 1: and so on")
}

func TestCompileIsBoundedInTimeAndMemory(t *testing.T) {
	t.Parallel()
	pid, err := compile(context.Background(), t, "spin", launcher.CompileLimits{Time: 2 * time.Second})
	require.EqualError(t, err, "compile: not done within 2s")
	assertEnded(t, pid)

	_, err = compile(context.Background(), t, "allocate 100", launcher.CompileLimits{})
	require.NoError(t, err)
	_, err = compile(context.Background(), t, "allocate 400", launcher.CompileLimits{Memory: 256 << 20})
	require.ErrorContains(t, err, "compile: exit status ")
}

func TestCompileEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(2*time.Second, cancel) // it has begun by then
	pid, err := compile(ctx, t, "spin", launcher.CompileLimits{})
	require.ErrorIs(t, err, context.Canceled)
	assertEnded(t, pid)

	native, err := compile(ctx, t, "a module", launcher.CompileLimits{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, native, "something was started")
}

func TestTheEngineIsTheFirstLineThatTheProgramPrints(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	key, err := h.EngineKey(context.Background())
	require.NoError(t, err)
	assert.Equal(t, "engine 1 with settings", key)

	for name, says := range map[string]string{
		"missing":    "worker program",
		"mute":       `it printed ""`,
		"half":       `it printed "half"`,
		"empty-line": `it printed "\nbuild 7\n"`,
		"failing":    "exit status 3: no engine",
	} {
		path := filepath.Join(h.state.Root, "modules", name)
		if name != "missing" {
			linkProgram(t, path)
		}
		_, err := launcher.EngineKey(context.Background(), path)
		require.ErrorContains(t, err, says, name)
	}
}

// assertEnded fails when the process of that pid has not been reaped.
func assertEnded(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	require.NoError(t, err, "the compiler had not begun")
	require.ErrorIs(t, unix.Kill(number, 0), unix.ESRCH)
}
