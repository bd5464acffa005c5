// Package plugin is what the supervisor's launcher and the worker must agree on before they can talk: the go-plugin
// handshake, the one plugin served, the descriptors a worker inherits, and the exit codes it leaves with.
//
// It promises that both programs of one build agree. It promises nothing between builds: Hello carries Protocol, and a
// worker of another protocol is ended.
package plugin
