// Command supervisor runs a tree of capsules on this machine and is the operator's command line for it.
//
// It promises that nothing this process inherited, neither a descriptor nor a variable of its environment, reaches a worker. Commands,
// outputs and exit codes are package cli's promise.
package main
