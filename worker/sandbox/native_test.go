package sandbox_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

func compileText(tb testing.TB, text string) []byte {
	tb.Helper()
	wasm, err := wat.ToWasm(text)
	require.NoError(tb, err)
	native, err := sandbox.Compile(tb.Context(), wasm)
	require.NoError(tb, err)
	return native
}

func TestNativeCodeThatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	good := compileText(t, body(``))
	key := sandbox.EngineKey()
	change := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 0x40
		return b
	}
	keyAt := bytes.LastIndex(good, []byte(key))
	require.Positive(t, keyAt)
	for name, c := range map[string]struct {
		code     []byte
		sentence string
	}{
		"an empty file":                    {nil, "load native code: 0 bytes are not native code"},
		"a file of another kind":           {bytes.Repeat([]byte("text "), 1000), "load native code: not native code, or cut short"},
		"a file that was cut short":        {good[:len(good)-1], "load native code: not native code, or cut short"},
		"a file whose middle is missing":   {append(bytes.Clone(good[:100]), good[4196:]...), "bytes of native code where"},
		"a file of another engine":         {change(keyAt + 9), "this worker has \"" + key + "\""},
		"a flipped bit in the first bytes": {change(0), "load native code: "},
		"a flipped bit in the class":       {change(4), "load native code: "},
		"a flipped bit in the kind":        {change(7), "load native code: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sandbox.Load(int(nativeFile(t, c.code).Fd()))
			require.ErrorContains(t, err, c.sentence)
			assert.Less(t, len(err.Error()), 600)
		})
	}
}

func TestNativeCodeIsReadThroughADescriptorAlone(t *testing.T) {
	t.Parallel()
	f := nativeFile(t, compileText(t, body(`unreachable`)))
	require.NoError(t, os.Remove(f.Name()))
	m, err := sandbox.Load(int(f.Fd()))
	require.NoError(t, err)
	t.Cleanup(m.Close)
	require.NoError(t, f.Close())
	assert.Equal(t, "trap: unreachable", run(t, m, bare()).Detail())
}

func TestADescriptorThatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Load(-1)
	require.ErrorContains(t, err, "load native code: descriptor -1: bad file descriptor")
	_, err = sandbox.Load(openDir(t, tempDir(t)))
	require.ErrorContains(t, err, "load native code: ")
}

func TestAModuleThatWasClosedIsNotRun(t *testing.T) {
	t.Parallel()
	m := loadText(t, body(``))
	m.Close()
	m.Close()
	assert.Equal(t, "the module has been closed", m.Run(t.Context(), bare()).Detail())
}

// TestRunDoesNotRelyOnAdmission runs what Compile would have refused.
func TestRunDoesNotRelyOnAdmission(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, detail string }{
		"no _start":                {`(module)`, "the module exports no function _start"},
		"_start is not a function": {`(module (memory (export "_start") 1))`, "the module exports no function _start"},
		"_start wants an argument": {`(module (func (export "_start") (param i32)))`, "the engine refused to call _start: its type is not () -> ()"},
		"an import nobody provides": {
			`(module (import "env" "abort" (func)) (func (export "_start")))`,
			"cannot start the module: unknown import: `env::abort` has not been defined",
		},
		"an import of another type": {
			`(module (import "murmur" "take" (func (param i64))) (func (export "_start")))`,
			"cannot start the module: incompatible import type for `murmur::take` Caused by: types incompatible: expected type `(func (param i64))`, found type `(func (param i32 i32) (result i32))`",
		},
		"the WASI before preview 1": {
			`(module (import "wasi_unstable" "proc_exit" (func (param i32))) (func (export "_start")))`,
			"cannot start the module: unknown import: `wasi_unstable::proc_exit` has not been defined",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wasm, err := wat.ToWasm(c.text)
			require.NoError(t, err)
			native, err := sandbox.CompileUnscanned(t.Context(), wasm)
			require.NoError(t, err)
			result := run(t, loadNative(t, native), bare())
			require.Error(t, result.Err)
			assert.Equal(t, c.detail, result.Detail())
		})
	}
}
