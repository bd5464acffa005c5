// Package wat turns WebAssembly's text format into a binary module, for test
// guests and for the example capsules that are written by hand.
//
// Promised: what comes back is what the engine's own parser made of the text.
// Not promised: that the module is valid or admitted; compiling decides that.
//
// Who may call it: tests and build tools. The worker itself never sees text.
package wat
