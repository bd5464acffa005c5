// Package sandbox runs a capsule's module in wasmtime: it compiles modules, maps native
// code and runs one fresh instance for each task. It is the only user of the engine.
//
// Promised:
//
//   - A guest reaches nothing but the imports defined here, and those only through
//     memory that has been checked to be its own.
//   - A guest that computes, sleeps or waits is stopped as soon as the task's context
//     ends; a guest that traps, exits or runs out of a limit ends with a short name for
//     it that holds nothing the guest wrote.
//   - What is read-only and the bounds of the work folder hold against every call, and
//     each refusal is told.
//   - Nothing of a task is left in the next one: the instance, its memory and its
//     store are gone before Run returns.
//   - Native code made under other settings, by another version, or cut short is
//     refused.
//
// Not promised:
//
//   - That native code is harmless: it runs as it is. Compare its digest first.
//   - That bulk operations on memory (a fill of 512 MiB) can be interrupted, that
//     compiling can, or that compiling a hostile module ends. The process is the limit.
//   - Address space: each memory reserves 4 GiB and two guards of 2 GiB, so RLIMIT_AS
//     must not be set. What counts as used is what the guest touches.
//
// There is one engine in a process, started at first use and never closed. Engine,
// modules and stores are made, used and dropped sequentially, under one lock that a
// task holds while it runs, on whatever goroutine called; nothing is left to
// finalizers. This engine's registry of types is not safe against two threads
// (GHSA-7qmx-3fpx-r45m).
//
// Who may call it: worker's executor and `worker compile`.
package sandbox
