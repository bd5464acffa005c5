package sandbox

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

// link defines every import a guest may have, once for the life of the process.
func (e *engine) link() error {
	e.linker = wasmtime.NewLinker(e.native)
	if err := e.linker.DefineWasi(); err != nil {
		return plain(err)
	}
	e.linker.AllowShadowing(true)
	if err := e.shadow(); err != nil {
		return err
	}
	if err := e.define("murmur", "call", "iiii", "I", func(r *run, mem []byte, a []wasmtime.Val) (wasmtime.Val, error) {
		n, err := r.call(mem, u32(a[0]), u32(a[1]), u32(a[2]), u32(a[3]))
		return wasmtime.ValI64(n), err
	}); err != nil {
		return err
	}
	return e.define("murmur", "take", "ii", "i", func(r *run, mem []byte, a []wasmtime.Val) (wasmtime.Val, error) {
		n, err := r.take(mem, u32(a[0]), u32(a[1]))
		return wasmtime.ValI32(n), err
	})
}

func u32(v wasmtime.Val) uint32 { return uint32(v.I32()) }

type hostFunc func(r *run, mem []byte, args []wasmtime.Val) (wasmtime.Val, error)

// define adds one host function. Signatures are letters: i for i32, I for i64.
func (e *engine) define(module, name, params, results string, f hostFunc) error {
	ty := wasmtime.NewFuncType(valTypes(params), valTypes(results))
	e.types = append(e.types, ty)
	err := e.linker.FuncNew(module, name, ty, func(c *wasmtime.Caller, args []wasmtime.Val) (out []wasmtime.Val, trap *wasmtime.Trap) {
		r := e.run
		defer func() {
			if p := recover(); p != nil {
				r.panicked = fmt.Sprintf("%v\n\nhost function %s.%s:\n%s", p, module, name, debug.Stack())
				out, trap = nil, wasmtime.NewTrap("panic")
			}
		}()
		result, err := r.serve(c, f, args)
		if err != nil {
			r.cause = err
			return nil, wasmtime.NewTrap("host")
		}
		if results == "" {
			return nil, nil
		}
		return []wasmtime.Val{result}, nil
	})
	if err != nil {
		return plain(err)
	}
	return nil
}

func (r *run) serve(c *wasmtime.Caller, f hostFunc, args []wasmtime.Val) (wasmtime.Val, error) {
	export := c.GetExport("memory")
	if export == nil {
		return wasmtime.Val{}, errors.New("the module exports no memory named \"memory\"")
	}
	defer export.Close()
	memory := export.Memory()
	if memory == nil {
		return wasmtime.Val{}, errors.New("the module's export \"memory\" is not a memory")
	}
	return f(r, memory.UnsafeData(c), args)
}

func valTypes(letters string) []*wasmtime.ValType {
	types := make([]*wasmtime.ValType, 0, len(letters))
	for _, l := range letters {
		kind := wasmtime.KindI32
		if l == 'I' {
			kind = wasmtime.KindI64
		}
		types = append(types, wasmtime.NewValType(kind))
	}
	return types
}
