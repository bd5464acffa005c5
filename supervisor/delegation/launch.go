package delegation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"rookery/capsule/handle"
	"rookery/launcher"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/supervisor/ledger"
)

// drive takes the session from its intent to its terminal record.
func (r *run) drive() {
	defer r.cancel()
	why := r.start()
	close(r.launched)
	end := ending{failure: why}
	if w := r.worker.Load(); w != nil {
		if why == "" {
			end.failure = r.bringUp(w)
		}
		if end.failure != "" {
			r.kill(w)
		}
		end.forced = r.watch(w)
	}
	r.settle(end)
	r.tree.remove(r)
	close(r.settled)
}

// start makes the process and opens its gate, in the order that lets a later supervisor know what ran: intent (there already),
// folders, process behind its gate, durable pid, gate. It returns why there is nothing that could run, or "".
func (r *run) start() string {
	t := r.tree
	if err := r.writeLineage(); err != nil {
		return err.Error()
	}
	native, digest, err := t.native.Native(r.ctx, r.entry)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = native.Close() }()
	prepared, err := t.launcher.Prepare(r.ctx, r.spec(native))
	if err != nil {
		return err.Error()
	}
	w, err := prepared.Exec(r.ctx)
	if err != nil {
		return errors.Join(err, prepared.Discard()).Error()
	}
	r.worker.Store(w)
	r.native = digest
	ctx, cancel := t.bounded()
	defer cancel()
	if err := t.ledger.Started(ctx, r.session.ID, identity(w), prepared.RunHex(), w.URL()); err != nil {
		return fmt.Sprintf("its process could not be recorded: %v", err)
	}
	if err := w.OpenGate(); err != nil {
		if leaves(w) {
			return "the process ended before anything ran: " + w.Exit().Detail()
		}
		return err.Error()
	}
	return ""
}

// dying is how long a process whose end of a conversation has closed may take to be gone; it takes milliseconds.
const dying = 250 * time.Millisecond

// leaves reports whether the worker's process is ending by itself: then its own end says more than what a call met of it.
func leaves(w *launcher.Worker) bool {
	late := time.NewTimer(dying)
	defer late.Stop()
	select {
	case <-w.Done():
		return true
	case <-late.C:
		return false
	}
}

func identity(w *launcher.Worker) ledger.Identity {
	i := w.Identity()
	return ledger.Identity{PID: i.PID, StartTime: i.StartTime, BootID: i.BootID}
}

// bringUp makes the connection and hands over the task. It returns why that failed, or "".
func (r *run) bringUp(w *launcher.Worker) string {
	ctx, cancel := context.WithTimeout(r.ctx, startTimeout)
	defer cancel()
	hello, err := w.Connect(ctx)
	if err != nil {
		return err.Error()
	}
	if hello.GetEngineKey() != r.tree.engineKey {
		return fmt.Sprintf("the worker's engine is %q, the native code was made for %q", hello.GetEngineKey(), r.tree.engineKey)
	}
	if err := w.Assign(ctx, r.assignment(w)); err != nil {
		if r.ctx.Err() == nil && leaves(w) {
			return "" // the capsule may have run: it has crashed like any other
		}
		return err.Error()
	}
	r.assigned.Store(true)
	commit, done := r.tree.bounded()
	defer done()
	err = r.tree.ledger.Ready(commit, r.session.ID, hello.GetContainment())
	if err != nil && !errors.Is(err, ledger.ErrEnding) {
		return fmt.Sprintf("it could not be recorded as running: %v", err)
	}
	return ""
}

func (r *run) spec(native *os.File) launcher.Spec {
	return launcher.Spec{
		SessionID: r.session.ID, Capsule: r.session.Capsule, Workdir: r.workdir(),
		Scope: r.session.Scope, Mounts: r.tree.mounted(r.session.Capsule), Native: native, Door: r.door, Files: r.runtimeFiles(), StartTimeout: startTimeout,
	}
}

// workdir is the folder the launcher is told: "" lets it make the session's own.
func (r *run) workdir() string {
	if r.session.WorkdirOurs {
		return ""
	}
	return r.session.Workdir
}

func (r *run) assignment(w *launcher.Worker) *workerv1.AssignRequest {
	m := r.entry.Package.Manifest
	s := r.session
	return &workerv1.AssignRequest{
		Session: &workerv1.Session{
			SessionId: s.ID, Capsule: s.Capsule, Version: s.Version, Url: w.URL(), Depth: uint32(s.Depth), RecordsDir: s.RecordsDir,
			Workdir: s.Workdir, RootSessionId: s.RootSessionID,
		},
		Task:     &workerv1.Task{TaskId: s.TaskID, ContextId: s.ContextID, MessageId: r.message, Text: r.task},
		GuestEnv: r.guestEnv(w.URL()),
		Spawner:  r.spawnerText(),
		Limits: &workerv1.Limits{
			MemoryBytes: uint64(m.Capabilities.Limits.MemoryBytes), TableElements: uint64(m.Capabilities.Limits.TableElements),
			Instances: uint64(m.Capabilities.Limits.Instances), DeadlineMs: m.Capabilities.Limits.Deadline.Milliseconds(),
			DelegationDeadlineUnixMs: r.deadlineFromNow(), OrphanTimeoutMs: r.tree.orphan.Timeout.Milliseconds(),
			WorkdirMaxBytes: uint64(m.Capabilities.Resources.WorkdirMaxBytes), WorkdirMaxFiles: uint64(m.Capabilities.Resources.WorkdirMaxFiles),
		},
		Grants: &workerv1.Grants{
			SpawnAllow: m.Capabilities.SpawnAllow, EnvAllow: m.Capabilities.EnvAllow,
			DelegationDeadlineMs: m.Lifecycle.DelegationDeadline.Milliseconds(),
		},
		NativeSha256: r.native,
		Filesystem:   r.filesystem(),
	}
}

// spawner is the handle of a delegated child, nil for a root.
func (r *run) spawner() *handle.Spawner {
	if r.delegation == nil {
		return nil
	}
	h := &handle.Spawner{SessionID: r.delegation.ParentSessionID, ContextID: r.delegation.ContextID, DelegationID: r.delegation.ID}
	if parent, ok := r.tree.ledger.Session(r.delegation.ParentSessionID); ok && !r.delegation.LineageOnly {
		h.URL = parent.URL
	}
	return h
}

func (r *run) spawnerText() string {
	if h := r.spawner(); h != nil {
		return h.EnvValue()
	}
	return ""
}
