package sandbox

import (
	"context"
	"io"

	"rookery/worker/wasi"
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
	// Stdout and Stderr take what the guest writes, on Run's goroutine; a Write that
	// blocks blocks the guest, so it must not. What went to Stderr has been written when
	// the guest's call returns; Stdout is buffered until the guest waits or ends. nil
	// throws the output away.
	Stdout, Stderr io.Writer
	// Work and Runtime are descriptors of the folders the guest sees as "." and,
	// read-only, as "murmur-runtime"; they are the caller's. A negative one is not shown.
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
	return t
}

// Guests resolve relative paths against "/", where their language's runtime believes
// to be: Go's finds no other preopen for them. So "." is "/".
const (
	workName    = "/"
	runtimeName = "/murmur-runtime"
)

// config is the task's world: descriptor 3 is the work folder, 4 the runtime's.
func (r *run) config() wasi.Config {
	c := wasi.Config{
		Args: r.task.Args, Env: r.task.Env, Stdin: r.task.Stdin,
		Stdout: r.task.Stdout, Stderr: r.task.Stderr, Ctx: r.ctx,
	}
	if r.task.Work >= 0 {
		c.Preopens = append(c.Preopens, wasi.Preopen{FD: r.task.Work, Name: workName})
	}
	if r.task.Runtime >= 0 {
		c.Preopens = append(c.Preopens, wasi.Preopen{FD: r.task.Runtime, Name: runtimeName, ReadOnly: true})
	}
	return c
}
