package sandbox

/*
#include "abi.h"

enum ending { returned, trapped, failed };

// Calls a function without parameters or results. Traps and errors are freed here and
// never rendered: their text holds a back-trace of as many frames as the guest's stack
// had, 16,000 after a stack overflow.
static enum ending start(wasmtime_context_t *store, wasmtime_func_t *func, int *code) {
  wasm_trap_t *trap = NULL;
  wasmtime_error_t *error = wasmtime_func_call(store, func, NULL, 0, NULL, 0, &trap);
  if (trap != NULL) {
    uint8_t number = 0;
    bool known = wasmtime_trap_code(trap, &number);
    *code = number;
    wasm_trap_delete(trap);
    return known ? trapped : failed;
  }
  if (error == NULL) return returned;
  wasmtime_error_delete(error);
  return failed;
}
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

// ending says how a guest function came back.
type ending int

const (
	returned ending = C.returned
	trapped  ending = C.trapped // code is the engine's number of the trap
	failed   ending = C.failed  // a host function trapped, and Seat.Err knows why; or not callable
)

// start calls a guest function of type () -> (). The binding's own Call is not used: it
// leaves a trap and a function type to finalizers, and dropping a type on another
// thread while a module is loaded is a race in this engine (GHSA-7qmx-3fpx-r45m).
func start(store *wasmtime.Store, fn *wasmtime.Func) (ending, int) {
	// A Func is nothing but the C structure; the binding has no accessor for it.
	native := (*C.wasmtime_func_t)(unsafe.Pointer(fn))
	var code C.int
	how := C.start((*C.wasmtime_context_t)(unsafe.Pointer(store.Context())), native, &code)
	runtime.KeepAlive(fn)
	runtime.KeepAlive(store)
	return ending(how), int(code)
}
