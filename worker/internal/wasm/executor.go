package wasm

import (
	"context"

	"rookery/worker/sandbox"
	"rookery/worker/tasks"
)

// Executor runs one module.
type Executor struct{ module *sandbox.Module }

// Load maps the native code that fd has open; its digest has been verified.
func Load(fd int) (*Executor, error) {
	module, err := sandbox.Load(fd)
	if err != nil {
		return nil, err
	}
	return &Executor{module}, nil
}

// Run runs the module in a fresh instance.
func (e *Executor) Run(ctx context.Context, w tasks.Work, ops tasks.Ops) tasks.Result {
	t := sandbox.Task{
		Args: w.Args, Env: w.Env, Stdin: w.Stdin, Stdout: w.Stdout, Stderr: w.Stderr,
		Work: w.WorkFD, Runtime: w.RuntimeFD, MemoryBytes: w.MemoryBytes, TableElements: w.TableElements, Host: ops,
		ReadOnly: w.ReadOnly, WorkBytes: w.WorkBytes, WorkNames: w.WorkFiles, Refused: w.Refused,
	}
	for _, m := range w.Mounts {
		t.Mounts = append(t.Mounts, sandbox.Mount{FD: m.FD, Name: m.Guest, ReadOnly: m.ReadOnly})
	}
	result := e.module.Run(ctx, t)
	return tasks.Result{Detail: result.Detail(), Canceled: result.Canceled, Exited: result.Exited}
}
