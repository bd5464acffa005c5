// Package cli is the supervisor's command line: one file per command, and the few things they share (finding a host, dialing it,
// printing what it says).
//
// It promises the names, the outputs and the exit codes of docs/commands.md: results on stdout, everything else on stderr; 0 done,
// 1 the work failed, 2 the command or its configuration was wrong, 3 no supervisor answers. It decides nothing about sessions:
// reading and ending go over the operator API, and `up` hands over to package daemon.
package cli
