package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

// run is one task while it is in the engine. It belongs to the goroutine of Run.
type run struct {
	ctx      context.Context
	task     Task
	response []byte // what take has not yet handed out
	cause    error  // why a host function trapped the guest
	panicked any    // what a host function panicked with, and where
}

// Run runs the module once, in a fresh instance of which nothing is left afterwards.
// It returns when the guest has ended or, after ctx has, when the guest has been
// stopped: at once if it computes or waits in a host function. Operations on memory in
// bulk see neither; that is the caller's watchdog.
//
// One task runs at a time: a second call waits for its turn. A panic in a HostCalls goes
// through Run, after the guest has been cleared away: it is a fault of the worker and
// no outcome of the task.
func (m *Module) Run(ctx context.Context, t Task) Result {
	t = t.withDefaults()
	if err := m.engine.acquire(ctx); err != nil {
		return Result{Canceled: true, MemoryLimit: t.MemoryBytes}
	}
	defer m.engine.release()
	if m.native == nil {
		return Result{Err: errors.New("run: the module has been closed"), MemoryLimit: t.MemoryBytes}
	}
	r := &run{ctx: ctx, task: t}
	m.engine.run = r
	defer func() { m.engine.run = nil }()
	result := m.run(r)
	result.MemoryLimit = t.MemoryBytes
	if r.panicked != nil {
		panic(r.panicked)
	}
	return result
}

const (
	// maxTables is how many tables an instance may have. Toolchains make one.
	maxTables = 4
	// One module, one instance, one memory; it imports neither.
	maxInstances = 1
	maxMemories  = 1
)

func (m *Module) run(r *run) Result {
	// A store is used for one call and never again: it is not trusted after a trap.
	store := wasmtime.NewStore(m.engine.native)
	streams, err := r.attach(store)
	if err != nil {
		store.Close()
		return Result{Err: fmt.Errorf("run: %w", err)}
	}
	store.Limiter(clamp(r.task.MemoryBytes), clamp(r.task.TableElements), maxInstances, maxTables, maxMemories)
	result := m.enter(r, store)
	store.Close()
	streams.finish()
	return result
}

func (m *Module) enter(r *run, store *wasmtime.Store) Result {
	// The deadline is the next tick, and the only thing that ticks is the end of ctx: a
	// guest that is left alone costs no timer.
	store.SetEpochDeadline(1)
	defer m.engine.tickAtEnd(r.ctx)()

	instance, err := m.engine.linker.Instantiate(store, m.native)
	if err != nil {
		return r.notInstantiated(err)
	}
	entry := instance.GetExport(store, "_start")
	if entry == nil {
		return Result{Err: errors.New("the module exports no _start")}
	}
	defer entry.Close()
	fn := entry.Func()
	if fn == nil {
		return Result{Err: errors.New("the module's _start is not a function")}
	}
	how, code := start(store, fn)
	result := r.outcome(how, code)
	result.MemoryHigh = memorySize(store, instance)
	return result
}

// notInstantiated sorts the failures before _start: a start section that trapped or
// exited, a limit, an import.
func (r *run) notInstantiated(err error) Result {
	var trap *wasmtime.Trap
	if errors.As(err, &trap) {
		defer trap.Close()
		if code := trap.Code(); code != nil {
			return r.outcome(trapped, int(*code))
		}
		return r.outcome(failed, 0)
	}
	var native *wasmtime.Error
	if errors.As(err, &native) {
		if status, ok := native.ExitStatus(); ok {
			native.Close()
			return r.outcome(exited, int(status))
		}
	}
	if r.cause != nil || r.panicked != nil {
		native.Close()
		return r.outcome(failed, 0)
	}
	return Result{Err: fmt.Errorf("cannot start the module: %w", plain(err))}
}

func (r *run) outcome(how ending, code int) Result {
	var trap trapError
	switch {
	case how == returned:
		return Result{Exited: true}
	case how == exited:
		return Result{Exited: true, Exit: code}
	case how == trapped && code == trapInterrupt && r.ctx.Err() != nil:
		return Result{Canceled: true}
	case how == trapped:
		return Result{Trap: trapName(code)}
	case errors.As(r.cause, &trap):
		return Result{Trap: string(trap)}
	case r.cause != nil && r.ctx.Err() != nil:
		return Result{Canceled: true}
	case r.cause != nil:
		return Result{Err: r.cause}
	}
	return Result{Err: errors.New("the engine refused to call _start: its type is not () -> ()")}
}

// tickAtEnd makes the guest trap as soon as ctx ends. The function it returns ends the
// watch and waits for it: a late tick would stop the next task.
func (e *engine) tickAtEnd(ctx context.Context) (stop func()) {
	done, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-ctx.Done():
			e.native.IncrementEpoch()
		case <-done:
		}
	}()
	return func() {
		close(done)
		<-left
	}
}

// memorySize is 0 for a module that does not export its memory by the usual name.
func memorySize(store *wasmtime.Store, instance *wasmtime.Instance) uint64 {
	export := instance.GetExport(store, "memory")
	if export == nil {
		return 0
	}
	defer export.Close()
	if memory := export.Memory(); memory != nil {
		return uint64(memory.DataSize(store))
	}
	return 0
}

// clamp turns a limit into the engine's signed type, in which negative means none.
func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
