// Package murmur is what the author of a capsule in Go imports. A whole capsule:
//
//	package main
//
//	import murmur "rookery/sdk/go"
//
//	func main() {
//		murmur.Main(func(task string) (string, error) {
//			return "you said: " + task, nil
//		})
//	}
//
// built with GOOS=wasip1 GOARCH=wasm. The file system, the environment and the clock are Go's own: the work folder is
// ".", readable and writable; murmur-runtime/ holds what the host tells the capsule and is read-only. A path under the
// work folder is written relative, "out/result.txt".
//
// What a capsule asks of its host beyond that goes through the functions here: Self and Log; Progress, Artifact, Finish
// and RequestInput, which are about its task; Wait and Events, for whatever happens; and for a capsule whose manifest has
// capabilities.spawn.allow, Delegate, DelegateAndWait, Await, AwaitAll and EndDelegation. Each is one request and one
// answer of version 1 of the guest interface, docs/guest-interface.md.
//
// Promises: a refusal of the host is an *Error with the host's code, and IsCode tells codes apart; fields that a newer
// host adds to an answer are ignored; the functions may be called from several goroutines.
//
// Does not promise: that other goroutines run while a call waits. A WebAssembly guest has one thread, and a call that
// waits, such as Await, holds it. A program built for another system than wasip1 compiles, so that its logic can be
// tested there, but every call fails with ErrOutside.
package murmur
