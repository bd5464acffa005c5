package roots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/supervisor/delegation"
	"rookery/supervisor/ledger"
)

// Running is one started root.
type Running struct {
	// ID is the fleet's name of it.
	ID string
	// Session is empty when the root could not be started; Err says why.
	Session string
	Err     error
}

// Result is how a root ended.
type Result struct {
	ID      string
	Session string
	Status  outcome.Status
	Detail  string
	// Answer is what it left, "" when it left nothing. At most maxAnswer bytes.
	Answer string
	Took   time.Duration
}

// maxAnswer bounds what is printed of one answer; the whole stays in the records folder.
const maxAnswer = 1 << 20

// Start starts every root at once, in order. One that is refused does not keep the others from starting.
func Start(ctx context.Context, tree *delegation.Tree, all []delegation.Root) []Running {
	out := make([]Running, len(all))
	for i, root := range all {
		session, err := tree.StartRoot(ctx, root)
		out[i] = Running{ID: root.ID, Session: session, Err: err}
		if err != nil {
			out[i].Session = ""
		}
	}
	return out
}

// Wait returns the root's result when it has ended, or the context's error.
func (r Running) Wait(ctx context.Context, l ledger.Ledger) (Result, error) {
	if r.Session == "" {
		return Result{ID: r.ID, Status: outcome.Crashed, Detail: fmt.Sprintf("could not start: %v", r.Err)}, nil
	}
	s, err := l.WaitEnded(ctx, r.Session)
	if err != nil {
		return Result{}, err
	}
	answer, err := answerOf(s)
	if err != nil {
		answer = fmt.Sprintf("(its answer cannot be read: %v)", err)
	}
	return Result{ID: r.ID, Session: s.ID, Status: s.Status, Detail: s.Detail, Answer: answer, Took: time.Duration(s.DurationMS) * time.Millisecond}, nil
}

// answerOf reads the answer that the session's worker copied to its records.
func answerOf(s ledger.Session) (string, error) {
	records, err := beneath.Open(s.RecordsDir)
	if err != nil {
		return "", err
	}
	defer func() { _ = records.Close() }()
	raw, err := records.ReadRegular(layout.ResultFile, maxAnswer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(raw), err
}
