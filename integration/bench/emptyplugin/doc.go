// Command emptyplugin is the least that go-plugin lets a plugin be: our handshake, one service with one answer, nothing behind it.
//
// It promises to do nothing else: it is the baseline of the worker's start. It does not promise to check who calls it.
//
// Only the benchmarks of integration/bench build and start it.
package main
