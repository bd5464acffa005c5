package delegation

import (
	"context"
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
	// leaving is closed when the task has ended: the worker has leaveGrace to go.
	leaving chan struct{}
	left    atomic.Bool
	// assigned is set when the worker has taken the task: from then on it can be asked.
	assigned atomic.Bool
	// marked is set with the session's cause; stood when its own record was on disk by then. Guarded by Tree.causes.
	marked, stood bool
	// native is the digest of the code it runs, message the id of the message its task came with.
	native, message string
	// bound is the delegation's deadline, zero for a root.
	bound time.Duration
}

func (t *Tree) newRun(session ledger.Session, d *ledger.Delegation, entry *catalog.Entry, task string, env map[string]string) *run {
	ctx, cancel := context.WithCancel(t.base)
	r := &run{
		tree: t, session: session, delegation: d, entry: entry, task: task, env: env, ctx: ctx, cancel: cancel,
		message: id.Message.New(), launched: make(chan struct{}), settled: make(chan struct{}), leaving: make(chan struct{}),
	}
	if d != nil {
		r.bound = time.Duration(d.DeadlineMS) * time.Millisecond
	}
	return r
}

// leave starts the worker's last seconds.
func (r *run) leave() {
	if r.left.CompareAndSwap(false, true) {
		close(r.leaving)
	}
}
