package shim

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

// Seat is the place of one store: which host its guest's calls go to. It belongs to
// the goroutine that uses the store.
type Seat struct {
	imports *Imports
	host    any
	index   uintptr
	args    Args
	inside  bool
	err     error
}

var seats [C.ROOKERY_SEATS]atomic.Pointer[Seat]

// Attach gives a store its host. It must be called before the store instantiates
// anything that imports a function of im, and Detach before the store is closed: the
// binding gives a closed store's number to the next one.
func (im *Imports) Attach(store *wasmtime.Store, host any) (*Seat, error) {
	index := uintptr(C.rookery_seat(unsafe.Pointer(store.Context())))
	runtime.KeepAlive(store)
	if index >= uintptr(len(seats)) {
		return nil, fmt.Errorf("shim: more than %d stores", len(seats))
	}
	s := &Seat{imports: im, host: host, index: index}
	if !seats[index].CompareAndSwap(nil, s) {
		return nil, errors.New("shim: the store has a host, or one before it was closed without Detach")
	}
	C.rookery_forget(C.uintptr_t(index))
	return s, nil
}

// Detach takes the host from the store. The guest's functions trap from then on. It
// may be called more than once.
func (s *Seat) Detach() {
	if seats[s.index].Load() == s {
		C.rookery_forget(C.uintptr_t(s.index))
		seats[s.index].Store(nil)
	}
}

// Err returns what a function returned to trap the guest: nil if none did, a
// *PanicError if it panicked. To be asked when a call of the guest has failed, before
// the trap itself is looked at.
func (s *Seat) Err() error { return s.err }

// PanicError is a panic of a host function.
type PanicError struct {
	Func  string // module and name
	Value any
	Stack []byte
}

// Error implements error; it leaves the stack out.
func (e *PanicError) Error() string {
	return fmt.Sprintf("host function %s panicked: %v", e.Func, e.Value)
}

var (
	errNoHost  = errors.New("shim: the store has no host")
	errForeign = errors.New("shim: the function belongs to other imports than the store's host")
	errReenter = errors.New("shim: a host function called the guest back")
)

// maxTrapText is how much of an error's text becomes the trap's.
const maxTrapText = 512

//export rookeryCross
func rookeryCross(index, env C.uintptr_t, raw *C.wasmtime_val_raw_t, n C.size_t, base *C.uint8_t, size C.size_t) *C.wasm_trap_t {
	s := seats[index].Load()
	if s == nil {
		return trap(errNoHost)
	}
	if uint32(env>>envFunc) != s.imports.id {
		s.err = errForeign
		return trap(s.err)
	}
	mem := unsafe.Slice((*byte)(unsafe.Pointer(base)), int(size))
	slots := unsafe.Slice((*[2]uint64)(unsafe.Pointer(raw)), int(n))
	if err := s.call(&s.imports.funcs[env&(maxFuncs-1)], mem, slots); err != nil {
		s.err = err
		return trap(err)
	}
	return nil
}

// call runs one function. Parameters and result share the slots, of 16 bytes each.
func (s *Seat) call(f *Func, mem []byte, slots [][2]uint64) (err error) {
	if s.inside {
		return errReenter
	}
	s.inside = true
	defer func() {
		s.inside = false
		if p := recover(); p != nil {
			err = &PanicError{Func: f.Module + "." + f.Name, Value: p, Stack: debug.Stack()}
		}
	}()
	for i := range f.Params {
		s.args[i] = slots[i][0]
	}
	result, err := f.Call(s.host, mem, &s.args)
	if len(f.Results) > 0 && err == nil {
		slots[0][0] = result
	}
	return err
}

func trap(err error) *C.wasm_trap_t {
	text := err.Error()
	text = text[:min(len(text), maxTrapText)]
	return C.wasmtime_trap_new((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
}
