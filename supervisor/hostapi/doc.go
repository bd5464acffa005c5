// Package hostapi serves the Host service: what a worker may ask of the supervisor.
//
// It promises that the caller is the process on the other end of the socket and nobody else: its pid by SO_PEERCRED, held by a pidfd
// that has not fired, so nothing a worker says can make it another session. It promises each worker a bounded share: of
// connections, of calls, of calls at once, of bytes in each, and one stream.
//
// It does not decide anything: admission, ends and outcomes are package delegation's.
package hostapi
