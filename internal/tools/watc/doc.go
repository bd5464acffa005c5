// Command watc turns WebAssembly text into modules: each FILE.wat given becomes FILE.wasm beside it.
//
// `./dev build` and the tests use it for the example capsules that are written by hand. The text is assembled by the
// same engine that runs the result, so the repository needs no other WebAssembly tool. It checks nothing beyond the
// syntax: whether a module may run is decided where modules are admitted.
package main
