package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"rookery/worker/sandbox/shim"
	"rookery/worker/wasi"
)

// notInstantiated sorts the failures before _start: a start section that trapped or
// exited, or a limit.
func (r *run) notInstantiated(seat *shim.Seat, err error) Result {
	var trap *wasmtime.Trap
	if errors.As(err, &trap) {
		defer trap.Close()
		if code := trap.Code(); code != nil {
			return r.outcome(seat, trapped, int(*code))
		}
	}
	var native *wasmtime.Error
	if errors.As(err, &native) {
		defer native.Close()
	}
	if trap != nil || seat.Err() != nil {
		return r.outcome(seat, failed, 0)
	}
	return Result{Err: fmt.Errorf("cannot start the module: %s", bounded(native.Error()))}
}

// outcome says how the guest ended. What a host function returned to trap the guest
// comes first: to the engine it is one trap like another.
func (r *run) outcome(seat *shim.Seat, how ending, code int) Result {
	cause := seat.Err()
	var (
		exit  *wasi.ExitError
		trap  trapError
		fault *shim.PanicError
	)
	switch {
	case how == returned:
		return Result{Exited: true}
	case errors.As(cause, &exit):
		// Signed, as C's exit(-1) was meant.
		return Result{Exited: true, Exit: int(int32(exit.Code))}
	case errors.As(cause, &trap):
		return Result{Trap: string(trap)}
	case errors.As(cause, &fault):
		rethrow(fault)
	case cause != nil && r.ctx.Err() != nil:
		return r.stopped()
	case cause != nil:
		return Result{Err: cause}
	case how == trapped && code == trapInterrupt && r.ctx.Err() != nil:
		return r.stopped()
	case how == trapped:
		return Result{Trap: trapName(code)}
	}
	return Result{Err: errors.New("the engine refused to call _start: its type is not () -> ()")}
}

// stopped is the end of a guest whose context ended first: its caller's, or by a limit.
func (r *run) stopped() Result {
	var limit limitError
	if errors.As(context.Cause(r.ctx), &limit) {
		return Result{Limit: string(limit)}
	}
	return Result{Canceled: true}
}

// rethrow lets a panic go on where it began: in the worker, not in the guest. The dump
// must show the place, which the crossing took off the stack.
func rethrow(p *shim.PanicError) {
	panic(fmt.Sprintf("%v\n\nin %s:\n%s", p.Value, p.Func, p.Stack))
}
