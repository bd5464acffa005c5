// Package admission reads a WebAssembly module before the engine does and refuses what
// must never reach it: components, imports that the host does not offer, instructions
// of proposals that are switched off, and sizes that the engine's compiler is known to
// mishandle or that would cost the host more than any toolchain's output does.
//
// Promised: it is memory-safe, never panics, takes time linear in the module's size
// and memory bounded by its counts; it fails closed: an unknown section, type, opcode
// or flag is a refusal; a refusal is one sentence that names what and where, with
// guest text cut and quoted.
//
// Not promised: that an admitted module is valid. Types, stack heights, indices into
// globals, elements and data are the engine's to check, and features are switched off
// there as well: neither check is enough alone.
//
// Who may call it: worker/sandbox, before it compiles.
package admission
