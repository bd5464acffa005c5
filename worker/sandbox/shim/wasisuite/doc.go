// Package wasisuite runs a folder of WASI preview 1 test programs in the layout of the
// public suite (WebAssembly/wasi-testsuite) against worker/wasi: beside a NAME.wasm
// there may be a NAME.json that says with which arguments, environment and root folder
// it runs and what it should answer.
//
// What it promises: every program gets a fresh copy of its root folder, a deadline and
// a fresh instance; nothing of the suite is changed.
//
// What it does not promise: to survive a program that brings the engine down.
//
// Who may call it: the development tool, and tests.
package wasisuite
