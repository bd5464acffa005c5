package tasks

import (
	"context"
	"io"
)

// Executor runs the code of a task.
type Executor interface {
	// Run returns when the code has ended, or soon after ctx has.
	Run(ctx context.Context, w Work, ops Ops) Result
}

// Ops is what the code can ask of its host.
type Ops interface {
	Call(ctx context.Context, op string, request []byte) []byte
}

// Work is what an executor is given.
type Work struct {
	Args, Env      []string
	Stdin          []byte
	Stdout, Stderr io.Writer
	// WorkFD and RuntimeFD are the folders the code sees.
	WorkFD, RuntimeFD          int
	MemoryBytes, TableElements uint64
	// ReadOnly are paths in the work folder that the code cannot change; each exists.
	ReadOnly []string
	// WorkBytes and WorkFiles bound what the work folder may hold; 0 is no bound.
	WorkBytes, WorkFiles uint64
	Mounts               []Mount
	// Refused is told of each access that was refused, inside the code's call.
	Refused func(op, path, code string)
}

// Mount is a folder of the host that the code sees beside its own.
type Mount struct {
	FD       int
	Guest    string
	ReadOnly bool
}

// Result is how the code ended.
type Result struct {
	// Detail names the cause in the words of a record; empty for a good end.
	Detail string
	// Canceled: ctx ended first, and Detail says nothing of use.
	Canceled bool
	// Exited: the code came to its end by itself, with whatever status.
	Exited bool
}
