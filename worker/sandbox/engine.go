package sandbox

/*
#include "abi.h"
*/
import "C"

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"rookery/worker/sandbox/shim"
)

// engineVersion is the version of the linked library, which cannot be asked for it.
// A test compares it with go.mod.
const engineVersion = "25.0.0"

// maxWasmStack bounds the guest's stack, in bytes. The engine's default is the same;
// naming it keeps the depth at which a guest overflows part of our own contract.
const maxWasmStack = 512 << 10

// setting is one switch of the engine's configuration. The list is the one source of
// both the configuration and the engine key, so that neither can change alone.
type setting struct {
	name  string
	value any
	apply func(*wasmtime.Config)
}

var settings = []setting{
	// The engine's other compiler has holes of its own (GHSA-xx5w-cvp6-jv83 and others);
	// what is named cannot be chosen by accident.
	{"strategy", "cranelift", func(c *wasmtime.Config) { c.SetStrategy(wasmtime.StrategyCranelift) }},
	{"opt_level", "speed", func(c *wasmtime.Config) { c.SetCraneliftOptLevel(wasmtime.OptLevelSpeed) }},
	{"epoch_interruption", true, func(c *wasmtime.Config) { c.SetEpochInterruption(true) }},
	{"max_wasm_stack", maxWasmStack, func(c *wasmtime.Config) { c.SetMaxWasmStack(maxWasmStack) }},
	{"bulk_memory", true, func(c *wasmtime.Config) { c.SetWasmBulkMemory(true) }},
	{"multi_value", true, func(c *wasmtime.Config) { c.SetWasmMultiValue(true) }},
	{"reference_types", true, func(c *wasmtime.Config) { c.SetWasmReferenceTypes(true) }},
	// What no supported toolchain emits is surface without use.
	{"threads", false, func(c *wasmtime.Config) { c.SetWasmThreads(false) }},
	{"simd", false, func(c *wasmtime.Config) { c.SetWasmSIMD(false) }},
	{"relaxed_simd", false, func(c *wasmtime.Config) { c.SetWasmRelaxedSIMD(false) }},
	{"multi_memory", false, func(c *wasmtime.Config) { c.SetWasmMultiMemory(false) }},
	{"memory64", false, func(c *wasmtime.Config) { c.SetWasmMemory64(false) }},
	// A tail call into a host function that traps crashes this version
	// (GHSA-q8hx-mm92-4wvg).
	{"tail_call", false, func(c *wasmtime.Config) { setTailCall(c, false) }},
}

// setTailCall turns tail calls on or off; the binding has no method for it.
func setTailCall(c *wasmtime.Config, on bool) {
	native := reflect.ValueOf(c).Elem().FieldByName("_ptr").UnsafePointer()
	C.wasmtime_config_wasm_tail_call_set((*C.wasm_config_t)(native), C.bool(on))
	runtime.KeepAlive(c)
}

// EngineKey names the engine, all its settings and the machine's architecture. Native
// code made under one key is refused under another; whoever caches native code makes
// this part of the cache's key. It is safe in a file name. Any package of the worker
// may call it; it does not start the engine.
func EngineKey() string { return engineKey() }

var engineKey = sync.OnceValue(func() string {
	var all strings.Builder
	for _, s := range settings {
		fmt.Fprintf(&all, "%s=%v\n", s.name, s.value)
	}
	sum := sha256.Sum256([]byte(all.String()))
	return "wasmtime-" + engineVersion + "-" + runtime.GOARCH + "-" + hex.EncodeToString(sum[:8])
})

// engine is the one engine of the process with what belongs to it for life. Objects of
// the engine are made, used and dropped only by whoever holds turn: the registry of
// types in this version does not stand two threads at once.
type engine struct {
	turn    chan struct{}
	native  *wasmtime.Engine
	linker  *wasmtime.Linker
	imports *shim.Imports
}

// theEngine starts the engine at first use, so that a worker that never runs a guest
// does not pay for it. It is never closed: it ends with the process.
var theEngine = sync.OnceValues(newEngine)

func newEngine() (*engine, error) {
	config := wasmtime.NewConfig()
	for _, s := range settings {
		s.apply(config)
	}
	e := &engine{turn: make(chan struct{}, 1), native: wasmtime.NewEngineWithConfig(config)}
	if err := e.link(); err != nil {
		return nil, fmt.Errorf("define host functions: %w", err)
	}
	return e, nil
}

// acquire waits for the engine until ctx ends.
func (e *engine) acquire(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	// select takes either case when both are ready.
	if ctx.Err() != nil {
		e.release()
		return context.Cause(ctx)
	}
	return nil
}

// lock waits for the engine without a context: for work of milliseconds, behind at most
// one task, which its own context bounds.
func (e *engine) lock() { e.turn <- struct{}{} }

func (e *engine) release() { <-e.turn }
