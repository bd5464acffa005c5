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

// Task is what one run of a module is given.
type Task struct {
	// Args are the guest's arguments, the program's name first. Env is NAME=value.
	Args, Env []string
	// Stdin is all that the guest can read from its standard input.
	Stdin []byte
	// Stdout and Stderr take what the guest writes, in the order it was written. They
	// are called from goroutines that end before Run returns; a Write that blocks
	// blocks the guest, so it must not. nil throws the output away.
	Stdout, Stderr io.Writer
	// Work and Runtime are descriptors of the folders the guest sees as "." and as
	// "murmur-runtime"; they are the caller's. A negative one is not shown.
	Work, Runtime int
	// MemoryBytes bounds the guest's memory, TableElements each of its tables. 0 means
	// the default.
	MemoryBytes, TableElements uint64
	// Host answers what the guest asks through the murmur imports; nil knows no op.
	Host HostCalls
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
	if t.Stdout == nil {
		t.Stdout = io.Discard
	}
	if t.Stderr == nil {
		t.Stderr = io.Discard
	}
	return t
}
