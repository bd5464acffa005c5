package shim

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

// ValType is the type of a parameter or result. The numbers are wasm_valkind_t's.
type ValType byte

// The types that host functions use.
const (
	I32 ValType = iota
	I64
)

// MaxParams is how many parameters a function may have.
const MaxParams = 10

// Args holds the raw parameters of one call. Of an I32 only the low half means
// anything.
type Args = [MaxParams]uint64

// Func is one host function.
type Func struct {
	Module, Name string
	Params       []ValType
	Results      []ValType // none or one

	// Call runs on the goroutine that called the guest. host is what Attach was given; mem
	// and args are good until it returns. An error traps the guest.
	Call func(host any, mem []byte, args *Args) (uint64, error)
}

// Imports is a set of functions that a linker knows. It may serve any number of
// stores, one after the other or at the same time.
type Imports struct {
	id    uint32
	funcs []Func
}

// maxFuncs and the 16 bits of envFunc belong together.
const (
	maxFuncs = 1 << 16
	envFunc  = 16
)

var lastImports atomic.Uint32

// Define adds functions to a linker. It fails if a name is there already (unless the
// linker allows shadowing) or if a function has more than MaxParams parameters or more
// than one result.
func Define(linker *wasmtime.Linker, funcs []Func) (*Imports, error) {
	ptr, err := linkerPtr(linker)
	if err != nil {
		return nil, err
	}
	if len(funcs) > maxFuncs {
		return nil, fmt.Errorf("shim: %d functions, the limit is %d", len(funcs), maxFuncs)
	}
	im := &Imports{id: lastImports.Add(1), funcs: append([]Func{}, funcs...)}
	for i := range im.funcs {
		if err := im.define(ptr, i); err != nil {
			return nil, err
		}
	}
	return im, nil
}

func (im *Imports) define(linker unsafe.Pointer, i int) error {
	f := &im.funcs[i]
	if len(f.Params) > MaxParams || len(f.Results) > 1 || f.Module == "" || f.Name == "" || f.Call == nil {
		return fmt.Errorf("shim: %s.%s: needs names, a function, at most %d parameters and one result", f.Module, f.Name, MaxParams)
	}
	kinds := make([]byte, 0, MaxParams+1)
	for _, t := range append(append([]ValType{}, f.Params...), f.Results...) {
		kinds = append(kinds, byte(t))
	}
	e := C.rookery_define(linker,
		(*C.char)(unsafe.Pointer(unsafe.StringData(f.Module))), C.size_t(len(f.Module)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(f.Name))), C.size_t(len(f.Name)),
		(*C.uint8_t)(unsafe.SliceData(kinds)), C.size_t(len(f.Params)), C.size_t(len(f.Results)),
		C.uintptr_t(uintptr(im.id)<<envFunc|uintptr(i)))
	if e == nil {
		return nil
	}
	text := make([]byte, maxTrapText)
	n := C.rookery_error_text(e, (*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.size_t(len(text)))
	return fmt.Errorf("shim: %s.%s: %s", f.Module, f.Name, text[:n])
}

// linkerPtr reads the C pointer that the binding keeps to itself; a test pins the
// field.
func linkerPtr(linker *wasmtime.Linker) (unsafe.Pointer, error) {
	f := reflect.ValueOf(linker).Elem().FieldByName("_ptr")
	if f.Kind() != reflect.Pointer || f.IsNil() {
		return nil, errors.New("shim: the linker is closed, or not the one of wasmtime-go v25.0.0")
	}
	return f.UnsafePointer(), nil
}
