package sandbox_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

func TestCompileAsksAdmissionFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, sentence string }{
		"a component":       {`(component)`, "module refused: a component; core modules only (build for wasip1, not wasip2)"},
		"an unknown import": {`(module (import "env" "abort" (func)) (func (export "_start")))`, `imports "env"."abort", which this host does not offer`},
		"an import of another type": {
			`(module (import "wasi_snapshot_preview1" "fd_seek" (func (param i32 i32 i32 i32) (result i32))) (func (export "_start")))`,
			"imports wasi_snapshot_preview1.fd_seek as iiii:i, it is iIii:i",
		},
		"a reactor":       {`(module (func (export "_initialize")))`, "module refused: a reactor"},
		"a reserved name": {`(module (func (export "murmur_task")))`, "exports murmur_task, a name that is reserved"},
		"a tail call":     {`(module (func $f) (func (export "_start") (return_call $f)))`, "tail calls are not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wasm, err := wat.ToWasm(c.text)
			require.NoError(t, err)
			_, err = sandbox.Compile(t.Context(), wasm)
			require.ErrorContains(t, err, c.sentence)
		})
	}
}

func TestTheEngineRefusesTheSameByItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, sentence string }{
		"a second memory":  {`(module (memory 1) (memory 1))`, "multiple memories"},
		"a shared memory":  {`(module (memory 1 1 shared))`, "threads"},
		"a 64-bit memory":  {`(module (memory i64 1))`, "memory64"},
		"vectors":          {`(module (func (drop (v128.const i64x2 0 0))))`, "SIMD"},
		"a tail call":      {`(module (func $f) (func (return_call $f)))`, "tail calls support is not enabled"},
		"an exception tag": {`(module (tag))`, "exceptions proposal not enabled"},
		"a struct":         {`(module (type (struct)))`, "without the gc feature"},
		"a type error":     {`(module (func (drop (i32.add (i64.const 1) (i32.const 1)))))`, "type mismatch"},
		"a component":      {`(component)`, "component"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wasm, err := wat.ToWasm(c.text)
			require.NoError(t, err)
			_, err = sandbox.CompileUnscanned(t.Context(), wasm)
			require.ErrorContains(t, err, c.sentence)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestCompileDoesNotBeginAfterItsContext(t *testing.T) {
	t.Parallel()
	wasm, err := wat.ToWasm(body(``))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = sandbox.Compile(ctx, wasm)
	require.ErrorIs(t, err, context.Canceled)
}

// TestAdmissionIsNoStricterThanTheEngine changes a module at random: what the engine
// takes must have passed the scan, unless the scan's answer is about this host.
func TestAdmissionIsNoStricterThanTheEngine(t *testing.T) {
	t.Parallel()
	text, err := guests.ReadFile("testdata/protocol.wat")
	require.NoError(t, err)
	good, err := wat.ToWasm(string(text))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	both := 0
	for range 3000 {
		wasm := bytes.Clone(good)
		for range 1 + random.IntN(3) {
			wasm[8+random.IntN(len(wasm)-8)] = byte(random.Uint32())
		}
		if _, err := sandbox.CompileUnscanned(t.Context(), wasm); err != nil {
			continue
		}
		_, err := sandbox.Compile(t.Context(), wasm)
		if err == nil {
			both++
			continue
		}
		assert.Regexp(t, `imports |exports |no export _start|_start has type|the limit is`, err.Error())
	}
	assert.Greater(t, both, 100, "too few of the modules were valid for the test to mean anything")
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

// TestTheEnginesSwitches makes a change of any switch a decision: each closes a hole of
// this engine version or a way to one.
func TestTheEnginesSwitches(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]any{
		"strategy": "cranelift", "opt_level": "speed", "epoch_interruption": true, "max_wasm_stack": 524288,
		"bulk_memory": true, "multi_value": true, "reference_types": true,
		"threads": false, "simd": false, "relaxed_simd": false, "multi_memory": false, "memory64": false, "tail_call": false,
	}, sandbox.Settings())
}

// TestOurCopyOfTheEnginesHeaderAgreesWithIt lets the C compiler compare both.
func TestOurCopyOfTheEnginesHeaderAgreesWithIt(t *testing.T) {
	t.Parallel()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bytecodealliance/wasmtime-go/v25").Output()
	require.NoError(t, err)
	include := "-I" + strings.TrimSpace(string(dir)) + "/build/include"
	check := func(header string) (string, error) {
		gcc := exec.Command("gcc", "-std=c11", "-fsyntax-only", "-x", "c", include, "-I.", "-")
		gcc.Stdin = strings.NewReader("#include <wasm.h>\n#include <wasmtime.h>\n" + header)
		text, err := gcc.CombinedOutput()
		return string(text), err
	}
	ours, err := os.ReadFile("abi.h")
	require.NoError(t, err)
	text, err := check(string(ours))
	require.NoError(t, err, text)
	_, err = check(strings.Replace(string(ours), "uint8_t *code", "int *code", 1))
	require.Error(t, err, "a prototype that differs was not noticed")
}
