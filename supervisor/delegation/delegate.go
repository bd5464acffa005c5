package delegation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rookery/capsule/id"
	"rookery/supervisor/ledger"
)

// MaxTaskBytes bounds a task's text: a guest's request holds at most 1 MiB, and a task file no more.
const MaxTaskBytes = 1 << 20

// maxIDBytes bounds each of the names that a worker gives a request: they are kept in the ledger. Those of this program have 36.
const maxIDBytes = 256

// Request is what a capsule asks for.
type Request struct {
	// ID is unique among the requests of the asking session; a repeat answers with the first delegation.
	ID        string
	TaskID    string
	ContextID string
	Capsule   string
	Version   string
	Task      string
	// Deadline shortens the parent's own bound on its delegations; zero leaves it.
	Deadline time.Duration
	// LineageOnly leaves the parent's door out of the child's handle.
	LineageOnly bool
}

// Started is what the asking capsule is told about a delegation that exists. That its child runs is not said: a child that fails to
// start is an outcome.
type Started struct {
	DelegationID, SessionID, URL, Capsule, Version string
}

// Delegate makes a delegation for a session and returns when its child's gate is open, or never will be. The error is a *Refusal
// when nothing was made; any other error leaves it open, and a repeat with the same id asks again.
func (t *Tree) Delegate(ctx context.Context, session string, req Request) (Started, error) {
	started, err := t.delegate(ctx, session, req)
	var refused *Refusal
	if t.refused != nil && errors.As(err, &refused) {
		t.refused(session, req, refused)
	}
	return started, err
}

func (t *Tree) delegate(ctx context.Context, session string, req Request) (Started, error) {
	parent := t.run(session)
	if parent == nil {
		return Started{}, refuse(CodeShuttingDown, "this session has ended")
	}
	if refused := req.check(); refused != nil {
		return Started{}, refused
	}
	own := parent.entry.Package.Manifest
	entry, refused := t.find(own, req.Capsule, req.Version)
	if refused != nil {
		return Started{}, refused
	}
	r := t.child(parent, req, entry.Package.Manifest.Version, own.Lifecycle.DelegationDeadline)
	r.entry, r.session.Scope = entry, entry.Package.Manifest.Capabilities.Filesystem.Scope
	r.env = parent.inherit(entry.Package.Manifest)

	existing, err := t.begin(ctx, r, func(v ledger.View) error {
		return t.admit(v, own, session, parent.session.RootSessionID, r.session.Depth, entry.Package.Manifest)
	})
	switch {
	case errors.Is(err, ledger.ErrRequestReused):
		return Started{}, refuse(CodeBadRequest, "request_key %q was used for another delegation", req.ID)
	case errors.Is(err, ledger.ErrEnding), errors.Is(err, ledger.ErrTerminal), errors.Is(err, ledger.ErrNotFound):
		return Started{}, refuse(CodeShuttingDown, "this session is being ended")
	case err != nil:
		return Started{}, err
	case existing != nil:
		return t.started(ctx, *existing)
	}
	return t.started(ctx, *r.delegation)
}

func (q Request) check() *Refusal {
	switch {
	case q.ID == "" || q.TaskID == "" || q.ContextID == "":
		return refuse(CodeBadRequest, "a delegation needs a request id, a task id and a context id")
	case max(len(q.ID), len(q.TaskID), len(q.ContextID)) > maxIDBytes:
		return refuse(CodeBadRequest, "a request id, a task id and a context id have at most %d bytes each", maxIDBytes)
	case len(q.Task) > MaxTaskBytes:
		return overLimit("too_large", MaxTaskBytes, len(q.Task), "the task has %d bytes; at most %d go with a delegation", len(q.Task), MaxTaskBytes)
	case q.Deadline < 0:
		return refuse(CodeBadRequest, "deadline_secs is negative")
	}
	return nil
}

// digest tells a repeat from another request under the same id.
func (q Request) digest() string {
	raw, _ := json.Marshal(q) // strings, a bool and a number: cannot fail
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// child composes the rows of a delegation that nothing has admitted yet.
func (t *Tree) child(parent *run, req Request, version string, bound time.Duration) *run {
	if req.Deadline > 0 && req.Deadline < bound {
		bound = req.Deadline
	}
	m, dlg, now := mint(), id.Delegation.New(), time.Now()
	p := parent.session
	d := &ledger.Delegation{
		ID: dlg, RequestID: req.ID, RequestDigest: req.digest(), ParentSessionID: p.ID, ParentTaskID: req.TaskID,
		ContextID: req.ContextID, RootSessionID: p.RootSessionID, SessionID: m.session, Capsule: req.Capsule, Version: version,
		Depth: p.Depth + 1, LineageOnly: req.LineageOnly, DeadlineMS: bound.Milliseconds(), StartedAt: now,
	}
	s := ledger.Session{
		ID: m.session, Capsule: req.Capsule, Version: version, SpawnedBy: p.ID, DelegationID: dlg, RootSessionID: p.RootSessionID,
		Depth: p.Depth + 1, TaskID: m.task, ContextID: m.context, Workdir: t.state.Work(m.session), WorkdirOurs: true,
		RecordsDir: t.state.Records(req.Capsule, m.session), Door: doorOpen, StartedAt: now,
	}
	return t.newRun(s, d, nil, req.Task, nil)
}

// doorOpen is the only kind of door this build has.
const doorOpen = "open"

// begin commits the intent of r and, when it is new, sets it going. Once the intent is durable the run no longer depends on ctx.
func (t *Tree) begin(ctx context.Context, r *run, admit func(ledger.View) error) (*ledger.Delegation, error) {
	t.add(r)
	existing, err := t.ledger.Begin(ctx, ledger.Intent{Session: r.session, Delegation: r.delegation}, admit)
	if err != nil || existing != nil {
		t.remove(r)
		r.cancel()
		return existing, err
	}
	t.spawn(r.drive)
	return nil, nil
}

// started waits until the gate of a delegation's child is open or it is clear that it never will be.
func (t *Tree) started(ctx context.Context, d ledger.Delegation) (Started, error) {
	if r := t.run(d.SessionID); r != nil {
		select {
		case <-r.launched:
		case <-ctx.Done():
			return Started{}, fmt.Errorf("delegation %s: waiting for its start: %w", d.ID, ctx.Err())
		}
	}
	s, _ := t.ledger.Session(d.SessionID)
	return Started{DelegationID: d.ID, SessionID: d.SessionID, URL: s.URL, Capsule: d.Capsule, Version: d.Version}, nil
}
