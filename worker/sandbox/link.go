package sandbox

import (
	"github.com/bytecodealliance/wasmtime-go/v25"

	"rookery/worker/sandbox/admission"
	"rookery/worker/sandbox/shim"
	"rookery/worker/wasi"
)

// imports is every function a guest may import. What is not here does not exist for a
// guest: the engine's own WASI is not linked.
var imports = append(
	shim.WASI(func(host any) *wasi.Host { return host.(*run).world }),
	shim.Func{
		Module: "murmur", Name: "call",
		Params: []shim.ValType{shim.I32, shim.I32, shim.I32, shim.I32}, Results: []shim.ValType{shim.I64},
		Call: func(host any, mem []byte, a *shim.Args) (uint64, error) {
			n, err := host.(*run).call(mem, uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]))
			return uint64(n), err
		},
	},
	shim.Func{
		Module: "murmur", Name: "take",
		Params: []shim.ValType{shim.I32, shim.I32}, Results: []shim.ValType{shim.I32},
		Call: func(host any, mem []byte, a *shim.Args) (uint64, error) {
			n, err := host.(*run).take(mem, uint32(a[0]), uint32(a[1]))
			return uint64(n), err
		},
	},
)

// link defines the imports in a linker that serves every task of the process.
func (e *engine) link() (err error) {
	e.linker = wasmtime.NewLinker(e.native)
	e.imports, err = shim.Define(e.linker, imports)
	return err
}

// rules tells admission what there is to import.
func rules() admission.Rules {
	r := admission.Rules{Imports: make(map[admission.Import]admission.Type, len(imports))}
	for _, f := range imports {
		r.Imports[admission.Import{Module: f.Module, Name: f.Name}] = admission.Type(letters(f.Params) + ":" + letters(f.Results))
	}
	return r
}

func letters(types []shim.ValType) string {
	text := make([]byte, len(types))
	for i, t := range types {
		text[i] = 'i'
		if t == shim.I64 {
			text[i] = 'I'
		}
	}
	return string(text)
}
