// Package wasm is the executor of WebAssembly capsules: it gives package tasks what
// package sandbox runs.
//
// Promised: nothing but what sandbox promises. Not promised: that the module is
// unloaded; it ends with the process.
//
// The worker's main and tests of tasks use it.
package wasm
