// Package shim is the crossing from a guest to functions in Go: it defines host
// functions in a wasmtime linker through the C interface's unchecked calls, at a tenth
// of what the binding's own FuncNew costs.
//
// What it promises: a function gets the guest's memory as it is at that moment, and
// its parameters as the guest passed them. The types given with a function are the
// ones the engine holds a guest's imports against when it links. A panic in a function
// is recovered before it can cross C frames; it and every error a function returns
// become a trap, and Seat.Err tells them afterwards.
//
// What it does not promise: that the guest's memory can be kept (it moves when it
// grows), or that a function may call back into the guest (it is trapped). A store has
// one instance that exports its memory as "memory"; a second one would be served with
// the memory of the first. It works with exactly wasmtime 25.0.0: abi.h is a copy of
// the headers, which a test compares.
//
// Who may call it: worker/sandbox. It and this package are the only importers of
// wasmtime.
package shim
