// Package operator tests the operator API and the command line against real hosts: events, logs, traces, launches and stops, listings
// while a worker hangs, what is read from disk while no supervisor runs, and certificates.
package operator
