package delegation

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rookery/capsule/id"
	"rookery/launcher"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
)

// Orphan is what a worker is told about a life without a supervisor.
type Orphan struct{ Timeout time.Duration }

// run is one session from its durable intent to its terminal record. One goroutine drives it; others only ask it to end.
type run struct {
	tree       *Tree
	session    ledger.Session // as begun
	delegation *ledger.Delegation
	entry      *catalog.Entry
	task       string
	door       *launcher.Door // nil: one of the session's own
	// env holds the values of the names its manifest lets through; nothing else of them is kept anywhere.
	env map[string]string

	// ctx ends when the session is to be ended; it stops a launch that has no process yet.
	ctx    context.Context
	cancel context.CancelFunc

	// launched is closed when the gate is open or never will be, settled when the terminal record is committed.
	launched, settled chan struct{}
	// worker is set before launched is closed, and stays nil when there never was a process.
	worker atomic.Pointer[launcher.Worker]
	// over is said when the task has ended: its own deadline has nothing left to end. leaving is said when its children have ended too: the
	// worker has leaveGrace to go.
	over, leaving *signal
	// assigned is set when the worker has taken the task: from then on it can be asked.
	assigned atomic.Bool
	// marked is set with the session's cause; late when there was nothing left to end once that was durable, stood when the session's own
	// record was on disk by then. Guarded by Tree.causes.
	marked, late, stood bool
	// native is the digest of the code it runs, message the id of the message its task came with.
	native, message string
	// bound is the delegation's deadline, zero for a root.
	bound time.Duration
}

func (t *Tree) newRun(session ledger.Session, d *ledger.Delegation, entry *catalog.Entry, task string, env map[string]string) *run {
	ctx, cancel := context.WithCancel(t.base)
	r := &run{
		tree: t, session: session, delegation: d, entry: entry, task: task, env: env, ctx: ctx, cancel: cancel,
		message: id.Message.New(), launched: make(chan struct{}), settled: make(chan struct{}), over: newSignal(), leaving: newSignal(),
	}
	if d != nil {
		r.bound = time.Duration(d.DeadlineMS) * time.Millisecond
	}
	return r
}

// gone reports whether there is no process any more, or never will be one.
func (r *run) gone() bool {
	if w := r.worker.Load(); w != nil {
		return w.Gone()
	}
	select {
	case <-r.launched:
		return true
	default:
		return false
	}
}

// signal is said once and heard by everybody who waits for it.
type signal struct {
	once sync.Once
	said chan struct{}
}

func newSignal() *signal { return &signal{said: make(chan struct{})} }

func (s *signal) say() { s.once.Do(func() { close(s.said) }) }
