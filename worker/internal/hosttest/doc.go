// Package hosttest is a Host service for tests of the worker's packages: a real
// gRPC server on a real unix socket, which can die and come back.
//
// Promised: it keeps what it released over a Stop and Start, as a ledger does, and
// repeats a delegation's answer for the same request id.
//
// Not promised: any of the supervisor's policy. A test decides what is refused.
//
// Only tests of packages beneath worker import it.
package hosttest
