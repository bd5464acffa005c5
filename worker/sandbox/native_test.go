package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

func compileText(t testing.TB, text string) []byte {
	t.Helper()
	wasm, err := wat.ToWasm(text)
	require.NoError(t, err)
	native, err := sandbox.Compile(t.Context(), wasm)
	require.NoError(t, err)
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
	assert.Equal(t, "run: the module has been closed", m.Run(t.Context(), bare()).Detail())
}

func TestCompileRefusesWhatItMustNotTake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, sentence string
	}{
		"a second memory": {`(module (memory 1) (memory 1) (func (export "_start")))`, "multiple memories"},
		"a shared memory": {`(module (memory 1 1 shared) (func (export "_start")))`, "threads"},
		"a 64-bit memory": {`(module (memory i64 1) (func (export "_start")))`, "memory64"},
		"vectors":         {`(module (func (export "_start") (drop (v128.const i64x2 0 0))))`, "SIMD"},
		"a tail call":     {`(module (func $f) (func (export "_start") (return_call $f)))`, "tail call"},
		"a type error":    {`(module (func (export "_start") (drop (i32.add (i64.const 1) (i32.const 1)))))`, "type mismatch"},
		"a component":     {`(component)`, "component"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wasm, err := wat.ToWasm(c.text)
			require.NoError(t, err)
			_, err = sandbox.Compile(t.Context(), wasm)
			require.ErrorContains(t, err, c.sentence)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	for name, wasm := range map[string][]byte{"nothing": nil, "text": []byte("(module)"), "half a header": []byte("\x00asm")} {
		_, err := sandbox.Compile(t.Context(), wasm)
		require.Error(t, err, name)
	}
}

func TestCompileDoesNotBeginAfterItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := sandbox.Compile(ctx, []byte("\x00asm\x01\x00\x00\x00"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestTheEngineKeyNamesVersionAndMachineAndIsAFileName(t *testing.T) {
	t.Parallel()
	key := sandbox.EngineKey()
	assert.True(t, strings.HasPrefix(key, "wasmtime-25.0.0-"+runtime.GOARCH+"-"), key)
	assert.Regexp(t, `^[a-z0-9.-]{1,64}$`, key)
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	assert.Contains(t, string(mod), "github.com/bytecodealliance/wasmtime-go/v25 v25.0.0", "the key names another version than is linked")
}

func TestAModuleThatCannotBeStartedSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, detail string
	}{
		"no _start":                 {`(module)`, "the module exports no _start"},
		"_start is not a function":  {`(module (memory (export "_start") 1))`, "the module's _start is not a function"},
		"_start wants an argument":  {`(module (func (export "_start") (param i32)))`, "the engine refused to call _start: its type is not () -> ()"},
		"_start returns something":  {`(module (func (export "_start") (result i32) (i32.const 1)))`, "the engine refused to call _start: its type is not () -> ()"},
		"an import nobody provides": {`(module (import "env" "abort" (func)) (func (export "_start")))`, "cannot start the module: unknown import: `env::abort` has not been defined"},
		"an import of another type": {`(module (import "murmur" "take" (func (param i64))) (func (export "_start")))`, "cannot start the module: incompatible import type for `murmur::take` Caused by: types incompatible: expected type `(func (param i64))`, found type `(func (param i32 i32) (result i32))`"},
		"an import of another kind": {`(module (import "murmur" "take" (memory 1)) (func (export "_start")))`, "cannot start the module: incompatible import type for `murmur::take` Caused by: expected memory, but found function"},
		"the WASI before preview 1": {`(module (import "wasi_unstable" "proc_exit" (func (param i32))) (func (export "_start")))`, "cannot start the module: unknown import: `wasi_unstable::proc_exit` has not been defined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, loadText(t, c.text), bare())
			require.Error(t, result.Err)
			assert.Equal(t, c.detail, result.Detail())
		})
	}
}
