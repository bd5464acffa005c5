package sandbox

import (
	"context"
	"errors"
	"math"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"rookery/worker/sandbox/admission"
	"rookery/worker/sandbox/shim"
	"rookery/worker/wasi"
)

// run is one task while it is in the engine. It belongs to the goroutine of Run.
type run struct {
	ctx      context.Context //nolint:containedctx // host functions get it from nowhere else
	stop     context.CancelCauseFunc
	task     Task
	world    *wasi.Host
	response []byte // what take has not yet handed out
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
	r := &run{task: t}
	defer r.limited(ctx)()
	result := m.run(r)
	result.MemoryLimit = t.MemoryBytes
	return result
}

func (m *Module) run(r *run) (result Result) {
	if m.native == nil {
		return Result{Err: errors.New("the module has been closed")}
	}
	config, err := r.config()
	if err == nil {
		r.world, err = wasi.New(config)
	}
	switch {
	case err != nil && r.ctx.Err() != nil:
		return Result{Canceled: true}
	case err != nil:
		return Result{Err: err}
	}
	defer func() { result.Output = r.world.Close() }()
	// A store is used for one call and never again: it is not trusted after a trap.
	store := wasmtime.NewStore(m.engine.native)
	defer store.Close()
	store.Limiter(clamp(r.task.MemoryBytes), clamp(r.task.TableElements), maxInstances, admission.MaxTables, maxMemories)
	seat, err := m.engine.imports.Attach(store, r)
	if err != nil {
		return Result{Err: err}
	}
	defer seat.Detach()
	return m.enter(r, store, seat)
}

func (m *Module) enter(r *run, store *wasmtime.Store, seat *shim.Seat) Result {
	// The deadline is the next tick, and the only thing that ticks is the end of ctx: a
	// guest that is left alone costs no timer.
	store.SetEpochDeadline(1)
	defer m.engine.tickAtEnd(r.ctx)()

	instance, err := m.engine.linker.Instantiate(store, m.native)
	if err != nil {
		return r.notInstantiated(seat, err)
	}
	entry := function(store, instance, "_start")
	if entry == nil {
		return Result{Err: errors.New("the module exports no function _start")}
	}
	how, code := start(store, entry)
	result := r.outcome(seat, how, code)
	result.MemoryHigh = memorySize(store, instance)
	return result
}

const (
	// One module, one instance, one memory; it imports neither.
	maxInstances = 1
	maxMemories  = 1
)

// clamp turns a limit into the engine's signed type, in which negative means none.
func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

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

// function is nil if the instance exports none of that name.
func function(store *wasmtime.Store, instance *wasmtime.Instance, name string) *wasmtime.Func {
	export := instance.GetExport(store, name)
	if export == nil {
		return nil
	}
	defer export.Close()
	return export.Func()
}

// memorySize is 0 for a module that does not export its memory by the usual name.
func memorySize(store *wasmtime.Store, instance *wasmtime.Instance) uint64 {
	export := instance.GetExport(store, "memory")
	if export == nil {
		return 0
	}
	defer export.Close()
	memory := export.Memory()
	if memory == nil {
		return 0
	}
	return uint64(memory.DataSize(store))
}
