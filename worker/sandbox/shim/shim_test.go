package shim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/stretchr/testify/require"
)

// rig is one engine with the functions of a test.
type rig struct {
	t       *testing.T
	engine  *wasmtime.Engine
	linker  *wasmtime.Linker
	imports *Imports
}

func newRig(t *testing.T, funcs ...Func) *rig {
	t.Helper()
	r := &rig{t: t, engine: wasmtime.NewEngine()}
	t.Cleanup(r.engine.Close)
	r.linker = wasmtime.NewLinker(r.engine)
	t.Cleanup(r.linker.Close)
	im, err := Define(r.linker, funcs)
	require.NoError(t, err)
	r.imports = im
	return r
}

func (r *rig) module(wat string) *wasmtime.Module {
	r.t.Helper()
	wasm, err := wasmtime.Wat2Wasm(wat)
	require.NoError(r.t, err)
	m, err := wasmtime.NewModule(r.engine, wasm)
	require.NoError(r.t, err)
	r.t.Cleanup(m.Close)
	return m
}

// guest is an instance with its host.
type guest struct {
	t        *testing.T
	store    *wasmtime.Store
	instance *wasmtime.Instance
	seat     *Seat
}

func (r *rig) guest(wat string, host any) *guest {
	r.t.Helper()
	g := &guest{t: r.t, store: wasmtime.NewStore(r.engine)}
	r.t.Cleanup(g.store.Close)
	seat, err := r.imports.Attach(g.store, host)
	require.NoError(r.t, err)
	r.t.Cleanup(seat.Detach)
	g.seat = seat
	g.instance, err = r.linker.Instantiate(g.store, r.module(wat))
	require.NoError(r.t, err)
	return g
}

func (g *guest) call(name string, args ...any) (any, error) {
	return g.instance.GetFunc(g.store, name).Call(g.store, args...)
}

func TestParametersAndResultsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	var got Args
	r := newRig(t,
		Func{Module: "m", Name: "all", Params: []ValType{I32, I64, I32, I64, I32, I64, I32, I64, I32, I64}, Results: []ValType{I64},
			Call: func(_ any, _ []byte, a *Args) (uint64, error) { got = *a; return a[9], nil }},
		Func{Module: "m", Name: "neg", Results: []ValType{I32},
			Call: func(any, []byte, *Args) (uint64, error) { return 0xffffffff, nil }},
		Func{Module: "m", Name: "none", Call: func(any, []byte, *Args) (uint64, error) { return 7, nil }},
	)
	g := r.guest(`(module
		(import "m" "all" (func $all (param i32 i64 i32 i64 i32 i64 i32 i64 i32 i64) (result i64)))
		(import "m" "neg" (func $neg (result i32)))
		(import "m" "none" (func $none))
		(func (export "all") (result i64)
			(call $none)
			(call $all (i32.const -1) (i64.const -2) (i32.const 3) (i64.const 4) (i32.const 5) (i64.const 6) (i32.const 7)
				(i64.const 8) (i32.const 9) (i64.const -10)))
		(func (export "neg") (result i32) (call $neg)))`, nil)
	v, err := g.call("all")
	require.NoError(t, err)
	require.EqualValues(t, -10, v)
	for i, want := range []int64{-1, -2, 3, 4, 5, 6, 7, 8, 9, -10} {
		if i%2 == 0 {
			require.Equal(t, uint32(want), uint32(got[i]))
		} else {
			require.Equal(t, uint64(want), got[i])
		}
	}
	v, err = g.call("neg")
	require.NoError(t, err)
	require.EqualValues(t, -1, v)
}

const touching = `(module
	(import "m" "touch" (func $touch (param i32) (result i32)))
	(memory (export "memory") 1)
	(func (export "run") (param i32) (result i32)
		(drop (memory.grow (local.get 0)))
		(drop (call $touch (i32.const 100)))
		(i32.load8_u (i32.const 100))))`

func TestMemoryIsTheGuestsAsItIsNow(t *testing.T) {
	t.Parallel()
	var sizes []int
	r := newRig(t, Func{Module: "m", Name: "touch", Params: []ValType{I32}, Results: []ValType{I32},
		Call: func(_ any, mem []byte, a *Args) (uint64, error) {
			sizes = append(sizes, len(mem)>>16)
			mem[uint32(a[0])]++
			mem[len(mem)-1] = 1
			return 0, nil
		}})
	g := r.guest(touching, nil)
	for i, grow := range []int32{0, 1, 100, 5000} {
		v, err := g.call("run", grow)
		require.NoError(t, err)
		require.EqualValues(t, i+1, v)
	}
	require.Equal(t, []int{1, 2, 102, 5102}, sizes)
}

func TestAGuestWithoutAMemoryIsServedWithNone(t *testing.T) {
	t.Parallel()
	for name, export := range map[string]string{
		"none": "", "not exported": "(memory 1)", "another kind": `(func (export "memory"))`, "by another name": `(memory (export "mem") 1)`,
	} {
		length := -1
		r := newRig(t, Func{Module: "m", Name: "touch", Call: func(_ any, mem []byte, _ *Args) (uint64, error) {
			length = len(mem)
			return 0, nil
		}})
		g := r.guest(`(module (import "m" "touch" (func $touch)) `+export+`(func (export "run") (call $touch)))`, nil)
		for range 2 {
			_, err := g.call("run")
			require.NoError(t, err, name)
			require.Zero(t, length, name)
		}
	}
}

func TestAStartFunctionIsServedToo(t *testing.T) {
	t.Parallel()
	length := 0
	r := newRig(t, Func{Module: "m", Name: "f", Call: func(_ any, mem []byte, _ *Args) (uint64, error) {
		length = len(mem)
		return 0, nil
	}})
	r.guest(`(module (import "m" "f" (func $f)) (memory (export "memory") 2) (start $f))`, nil)
	require.Equal(t, 2<<16, length)
}

const calling = `(module (import "m" "f" (func $f)) (memory (export "memory") 1) (func (export "run") (call $f)))`

func failing(err error) Func {
	return Func{Module: "m", Name: "f", Call: func(any, []byte, *Args) (uint64, error) { return 0, err }}
}

func TestAnErrorTrapsAndIsKept(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{errors.New("the reason"), errors.New(""), errors.New(strings.Repeat("long", 1000)), errors.New("a\x00b")} {
		g := newRig(t, failing(cause)).guest(calling, nil)
		_, err := g.call("run")
		require.Error(t, err)
		require.Same(t, cause, g.seat.Err())
		require.Less(t, len(err.Error()), 2*maxTrapText)
	}
}

func TestAPanicTrapsAndIsKeptWithItsStack(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(){
		"a value":           func() { panic("oops") },
		"an index":          func() { _ = []int{}[len(name())] },
		"a nil pointer":     func() { _ = nobody().t.Name() },
		"an error as value": func() { panic(errors.New("oops")) },
	} {
		r := newRig(t, Func{Module: "m", Name: "f", Call: func(any, []byte, *Args) (uint64, error) { do(); return 0, nil }})
		g := r.guest(calling, nil)
		for range 3 {
			_, err := g.call("run")
			require.Error(t, err, name)
			var p *PanicError
			require.ErrorAs(t, g.seat.Err(), &p, name)
			require.Equal(t, "m.f", p.Func)
			require.Contains(t, string(p.Stack), "shim_test.go")
			require.NotContains(t, err.Error(), "goroutine", "the stack is not for the guest's log")
		}
	}
}

func name() string { return "x" }

func nobody() *rig { return nil }

func TestTypesThatDifferDoNotLink(t *testing.T) {
	t.Parallel()
	r := newRig(t, Func{Module: "m", Name: "f", Params: []ValType{I32, I64}, Results: []ValType{I32},
		Call: func(any, []byte, *Args) (uint64, error) { return 0, nil }})
	for _, sig := range []string{
		"", "(param i32)", "(param i32 i64)", "(param i64 i32) (result i32)", "(param i32 i64 i64) (result i32)",
		"(param i32 i64) (result i64)", "(param f32 i64) (result i32)", "(param i32 i64) (result i32 i32)",
	} {
		store := wasmtime.NewStore(r.engine)
		_, err := r.linker.Instantiate(store, r.module(`(module (import "m" "f" (func `+sig+`)))`))
		require.ErrorContains(t, err, "incompatible import type", sig)
		store.Close()
	}
}

func TestEveryStoreHasItsOwnHost(t *testing.T) {
	t.Parallel()
	r := newRig(t, Func{Module: "m", Name: "f", Call: func(host any, mem []byte, _ *Args) (uint64, error) {
		*host.(*int)++
		mem[0]++
		return 0, nil
	}})
	counts := make([]int, 5)
	var guests []*guest
	for i := range counts {
		guests = append(guests, r.guest(calling, &counts[i]))
	}
	for i, g := range guests {
		for range i + 1 {
			_, err := g.call("run")
			require.NoError(t, err)
		}
	}
	require.Equal(t, []int{1, 2, 3, 4, 5}, counts)
}

func TestAStoreWithoutAHostTraps(t *testing.T) {
	t.Parallel()
	r := newRig(t, failing(nil))
	g := r.guest(calling, nil)
	_, err := r.imports.Attach(g.store, nil)
	require.ErrorContains(t, err, "has a host")
	g.seat.Detach()
	g.seat.Detach()
	_, err = g.call("run")
	require.ErrorContains(t, err, "no host")

	seat, err := r.imports.Attach(g.store, nil)
	require.NoError(t, err)
	defer seat.Detach()
	_, err = g.call("run")
	require.NoError(t, err)
}

func TestFunctionsOfOtherImportsTrap(t *testing.T) {
	t.Parallel()
	r := newRig(t, failing(nil))
	linker := wasmtime.NewLinker(r.engine)
	defer linker.Close()
	other, err := Define(linker, []Func{failing(nil), {Module: "m", Name: "g", Params: []ValType{I32},
		Call: func(any, []byte, *Args) (uint64, error) { return 0, nil }}})
	require.NoError(t, err)
	g := r.guest(calling, nil)
	g.seat.Detach()
	seat, err := other.Attach(g.store, nil)
	require.NoError(t, err)
	defer seat.Detach()
	_, err = g.call("run")
	require.ErrorContains(t, err, "other imports")
	require.ErrorIs(t, seat.Err(), errForeign)
}

func TestAHostFunctionCannotCallTheGuestBack(t *testing.T) {
	t.Parallel()
	var g *guest
	var inner error
	r := newRig(t, Func{Module: "m", Name: "f", Call: func(any, []byte, *Args) (uint64, error) {
		_, inner = g.call("run")
		return 0, nil
	}})
	g = r.guest(calling, nil)
	_, err := g.call("run")
	require.NoError(t, err)
	require.ErrorContains(t, inner, "called the guest back")
}

func TestDefineRefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	nop := func(any, []byte, *Args) (uint64, error) { return 0, nil }
	for name, funcs := range map[string][]Func{
		"a parameter too many": {{Module: "m", Name: "f", Params: make([]ValType, MaxParams+1), Call: nop}},
		"two results":          {{Module: "m", Name: "f", Results: make([]ValType, 2), Call: nop}},
		"no function":          {{Module: "m", Name: "f"}},
		"no name":              {{Module: "m", Call: nop}},
		"no module":            {{Name: "f", Call: nop}},
		"a name twice":         {{Module: "m", Name: "f", Call: nop}, {Module: "m", Name: "f", Call: nop}},
		"too many":             make([]Func, maxFuncs+1),
	} {
		engine := wasmtime.NewEngine()
		linker := wasmtime.NewLinker(engine)
		_, err := Define(linker, funcs)
		require.ErrorContains(t, err, "shim: ", name)
		linker.Close()
		_, err = Define(linker, nil)
		require.ErrorContains(t, err, "closed", name)
		engine.Close()
	}
}

// It takes all the numbers there are, so it does not run beside the other tests.
//
//nolint:paralleltest // see above
func TestStoresBeyondTheSeatsAreRefused(t *testing.T) {
	r := newRig(t, failing(nil))
	var err error
	for i := 0; err == nil; i++ {
		require.LessOrEqual(t, i, len(seats))
		store := wasmtime.NewStore(r.engine)
		defer store.Close()
		var seat *Seat
		if seat, err = r.imports.Attach(store, nil); err == nil {
			defer seat.Detach()
		}
	}
	require.EqualError(t, err, fmt.Sprintf("shim: more than %d stores", len(seats)))
}

//nolint:paralleltest // it counts the process's allocations
func TestACallAllocatesNothing(t *testing.T) {
	r := newRig(t, Func{Module: "m", Name: "f", Params: []ValType{I32, I64}, Results: []ValType{I32},
		Call: func(_ any, mem []byte, a *Args) (uint64, error) { return a[0] + uint64(len(mem)), nil }})
	g := r.guest(`(module
		(import "m" "f" (func $f (param i32 i64) (result i32)))
		(memory (export "memory") 1)
		(func (export "run") (local i32)
			(loop
				(drop (call $f (i32.const 1) (i64.const 2)))
				(br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 1000))))))`, nil)
	run := g.instance.GetFunc(g.store, "run")
	allocs := testing.AllocsPerRun(10, func() { _, _ = run.Call(g.store) })
	require.Less(t, allocs, 100.0, "a thousand calls")
}
