package sandbox

import (
	"context"
	"io"
)

// Default limits of a task that names none: Murmur's.
const (
	DefaultMemoryBytes   = 512 << 20
	DefaultTableElements = 100_000
)

// MaxOutput is how much a guest may write to each of its outputs, in bytes: 64 times
// what is kept of it. A guest that goes on is ended.
const MaxOutput = 1 << 30

// Task is what one run of a module is given.
type Task struct {
	// Args are the guest's arguments, the program's name first. Env is NAME=value.
	Args, Env []string
	// Stdin is all that the guest can read from its standard input.
	Stdin []byte
	// Stdout and Stderr take what the guest writes; a Write that blocks blocks the guest,
	// so it must not. What went to Stderr has been written when the guest's call returns;
	// Stdout is buffered until the guest waits, calls its host or ends, or for a second.
	// There is one Write at a time to each and none when Run has returned, but Stdout's
	// may come from another goroutine than Run's. nil throws the output away.
	Stdout, Stderr io.Writer
	// Work and Runtime are descriptors of the folders the guest sees as "." and,
	// read-only, as "murmur-runtime"; they are the caller's. A negative one is not shown.
	Work, Runtime int
	// ReadOnly are paths beneath the work folder, clean and relative, that the guest cannot
	// change, with all that is beneath; "." is all of it. Each must exist.
	ReadOnly []string
	// WorkBytes bounds the lengths of all files in the work folder, WorkNames the names of
	// files, folders and links in it; what is there already counts. 0 is no bound.
	WorkBytes, WorkNames uint64
	// Mounts are folders that the guest sees beside the work folder.
	Mounts []Mount
	// Refused is told of each access that was refused for leaving its folder, for changing
	// what is read-only, or for a bound on the work folder: the function, the path as the
	// guest gave it ("" if none) and the code's name. It runs inside the guest's call, as
	// often as the guest likes. It may be nil.
	Refused func(op, path, code string)
	// MemoryBytes bounds the guest's memory, TableElements each of its tables. 0 means
	// the default.
	MemoryBytes, TableElements uint64
	// Host answers what the guest asks through the murmur imports; nil knows no op.
	Host HostCalls
}

// Mount is a folder beside the work folder.
type Mount struct {
	// FD is the folder's descriptor; it is the caller's.
	FD int
	// Name is one segment: the guest sees the folder as /Name.
	Name     string
	ReadOnly bool
}

// HostCalls is what a guest reaches through the import murmur.call.
type HostCalls interface {
	// Call answers one op. req is its own copy; the response is kept until the next
	// call. It is called from the goroutine of Run, and must return soon after ctx,
	// which is Run's, has ended: the guest is then trapped and the response dropped.
	Call(ctx context.Context, op string, req []byte) []byte
}

func (t Task) withDefaults() Task {
	if t.MemoryBytes == 0 {
		t.MemoryBytes = DefaultMemoryBytes
	}
	if t.TableElements == 0 {
		t.TableElements = DefaultTableElements
	}
	return t
}
