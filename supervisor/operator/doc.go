// Package operator serves the operator API: everything that runs, and the end of any of it.
//
// It promises that reading never waits for a worker or for the disk, that only the supervisor's own user and root are let in, and
// that no worker is, whatever its user: a worker's process is known by a held pidfd. It promises that KillDelegation answers when the
// processes are gone and the records are on disk.
//
// It does not promise that what capsules wrote (details, names of files) is safe to print: clients escape it.
package operator
