// Command wasisuite runs a folder of WASI preview 1 test programs against the worker's own WASI.
//
//	wasisuite DIR
//
// It is what `./dev wasi-suite DIR` starts; package worker/sandbox/shim/wasisuite says how DIR is laid out. It prints
// each program that failed with its reason, then one line with the counts. Exit codes: 0 all passed, 1 one failed or DIR
// holds no program, 2 wrong use.
package main
