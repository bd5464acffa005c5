package delegation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rookery/launcher/proc"
	"rookery/supervisor/ledger"
)

// Sweep concludes what an earlier supervisor left unfinished: workers that still live are ended (only after their identity is
// proven), and every session that has no terminal record gets one. It returns how many sessions it concluded. Call it before anything
// is started and before any socket is served.
func (t *Tree) Sweep(ctx context.Context) (int, error) {
	var errs []error
	swept := 0
	cause := ledger.Cause{Kind: ledger.CauseSweep, Detail: "the supervisor died; ended by the next one", By: "supervisor", Tell: true}
	for _, top := range t.ledger.Sessions(ledger.Filter{States: []ledger.State{ledger.Starting, ledger.Running, ledger.Ending}}) {
		s, ok := t.ledger.Session(top.ID)
		if !ok || !s.State.Live() || t.parentLives(s) {
			continue // ended with, or will be reached through, the tree it stands in
		}
		marked, err := t.markLeftovers(s.ID, cause)
		errs = append(errs, err)
		for _, m := range marked {
			errs = append(errs, t.conclusion(ctx, m))
			swept++
		}
		for _, m := range marked {
			t.mend(m.session.ID)
		}
	}
	return swept, errors.Join(errs...)
}

// mend finishes the records of a session's ended children: the supervisor may have died between the ledger's word that an outcome was
// delivered and the record's, or in the middle of that.
func (t *Tree) mend(session string) {
	for _, child := range t.ledger.Children(session) {
		d, ok := t.ledger.Delegation(child.DelegationID)
		if !ok || !d.Delivered {
			continue
		}
		if err := sweepAt(child.RecordsDir); err != nil {
			t.log.Warn().Err(err).Str("delegation", d.ID).Msg("what a killed supervisor left half written stays")
		}
		t.noteDelivered(d)
	}
}

func (t *Tree) parentLives(s ledger.Session) bool {
	p, ok := t.ledger.Session(s.SpawnedBy)
	return ok && p.State.Live()
}

// deathUnseen is the end of a process that nobody was there to reap.
const deathUnseen = "exit status unknown: the process ended while no supervisor ran"

// leftover is a session of a dead supervisor and what is left of its process.
type leftover struct {
	session ledger.Session
	process *proc.Handle // nil when it is gone, or was never there
	death   string
	looked  time.Time
}

// markLeftovers looks at the processes first and then commits the causes: a cause counts only for what still lived.
func (t *Tree) markLeftovers(session string, cause ledger.Cause) ([]leftover, error) {
	held := map[string]leftover{}
	var look func(s ledger.Session) error
	look = func(s ledger.Session) error {
		var errs []error
		if s.State.Live() {
			l, err := hold(s)
			held[s.ID] = l
			errs = append(errs, err)
		}
		// Also beneath what has ended: its children may live for a moment longer.
		for _, child := range t.ledger.Children(s.ID) {
			errs = append(errs, look(child))
		}
		return errors.Join(errs...)
	}
	s, _ := t.ledger.Session(session)
	if err := look(s); err != nil {
		for _, l := range held {
			if l.process != nil {
				l.process.Release()
			}
		}
		return nil, err
	}
	sessions, err := t.mark(session, cause)
	if err != nil {
		return nil, err
	}
	out := make([]leftover, len(sessions)) // leaf first, as they were marked: children end before what made them
	for i, m := range sessions {
		l := held[m.ID]
		l.session = m
		out[i] = l
	}
	return out, nil
}

// hold proves that the session's process is still the one that was recorded and holds it; a pid that is another's now is a process
// that is gone.
func hold(s ledger.Session) (leftover, error) {
	looked := time.Now()
	if s.Identity.PID == 0 {
		return leftover{looked: looked, death: "could not start: the supervisor died before its process was recorded"}, nil
	}
	h, err := proc.Verify(proc.Identity{PID: s.Identity.PID, StartTime: s.Identity.StartTime, BootID: s.Identity.BootID})
	switch {
	case errors.Is(err, proc.ErrGone), errors.Is(err, proc.ErrStranger):
		return leftover{looked: looked, death: deathUnseen}, nil
	case err != nil:
		return leftover{}, fmt.Errorf("session %s: %w", s.ID, err)
	}
	return leftover{looked: looked, process: h}, nil
}

// end kills the leftover's group and waits for the process to be gone. It reports whether there was still something to kill.
func (l leftover) end(ctx context.Context) (killed bool, err error) {
	defer l.process.Release()
	switch err := l.process.KillGroup(); {
	case errors.Is(err, proc.ErrGone):
		return false, nil // it left by itself after it was looked at
	case err != nil:
		return false, fmt.Errorf("session %s: %w", l.session.ID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, gone)
	defer cancel()
	select {
	case <-l.process.Done():
		return true, nil
	case <-ctx.Done():
		return false, fmt.Errorf("session %s: its process %d was killed and is still there after %s", l.session.ID, l.session.Identity.PID, gone)
	}
}

// conclusion ends the process, if there is one, and decides. A cause of this sweep counts only for what it ended: before what had ended
// by itself it was not committed.
func (t *Tree) conclusion(ctx context.Context, l leftover) error {
	s, death := l.session, l.death
	var killed bool
	if l.process != nil {
		var err error
		if killed, err = l.end(ctx); err != nil {
			return err
		}
		death = deathUnseen
	}
	cause := s.Cause
	if !killed && cause != nil && cause.At.After(l.looked) {
		cause = nil
	}
	e := evidence{record: t.ownRecord(s), cause: cause, stood: cause != nil && cause.RecordStood, death: death}
	return t.conclude(s, decide(e), time.Now(), usage{})
}
