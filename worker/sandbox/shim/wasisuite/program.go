package wasisuite

import (
	"context"
	"errors"
	"io"

	"rookery/worker/wasi"
)

// Program is one command to run outside any suite.
type Program struct {
	// Path is the module's file. Args begin with the program's own name.
	Path      string
	Args, Env []string
	Preopens  []wasi.Preopen
	Stdout    io.Writer
	Stderr    io.Writer
}

// Program runs a command in a fresh instance and returns its exit status. A trap, and
// the end of ctx, are errors.
func (r *Runner) Program(ctx context.Context, p Program) (uint32, error) {
	stop := context.AfterFunc(ctx, r.engine.IncrementEpoch)
	defer stop()
	host, err := wasi.New(wasi.Config{Args: p.Args, Env: p.Env, Stdout: p.Stdout, Stderr: p.Stderr, Preopens: p.Preopens, Ctx: ctx})
	if err != nil {
		return 0, err
	}
	exit, err := r.start(ctx, host, p.Path)
	return exit, errors.Join(err, host.Close())
}
