package delegation

import (
	"fmt"
	"time"

	"rookery/capsule/outcome"
	"rookery/launcher"
	"rookery/supervisor/ledger"
)

// ending is what the run itself knows about the end: why nothing ran, or what it had to force.
type ending struct{ failure, forced string }

// settle decides how the session ended and makes that durable: children marked, record, ledger, and with the ledger the release.
func (r *run) settle(e ending) {
	t := r.tree
	died := time.Now()
	w := r.worker.Load()
	death := e.failure
	if death != "" {
		death = "could not start: " + death
	}
	var used usage
	if w != nil {
		exit := w.Exit()
		used = usage{rss: exit.State.MaxRSS, cpuMS: exit.State.UserMS + exit.State.SysMS}
		if death == "" {
			death = exit.Detail()
		}
		if e.forced != "" {
			death = e.forced
		}
		if err := w.StandIn(); err != nil {
			t.log.Warn().Err(err).Str("session", r.session.ID).Msg("nobody stands in at its door")
		}
	}
	orphans, err := t.markChildren(r.session.ID, ledger.Cause{Kind: ledger.CauseParentGone, Detail: "ended with its parent"})
	if err != nil {
		t.log.Error().Err(err).Str("session", r.session.ID).Msg("its children could not be marked as ending")
	}

	t.causes.RLock()
	row, _ := t.ledger.Session(r.session.ID)
	cause, stood := row.Cause, r.stood
	if r.late {
		cause = nil // committed when there was nothing left to end
	}
	t.causes.RUnlock()
	v := decide(evidence{record: t.ownRecord(r.session), cause: cause, stood: stood, death: death})
	t.insist(r.session.ID, func() error { return t.conclude(row, v, died, used) })
	r.clear(w)
	if len(orphans) > 0 {
		t.spawn(func() {
			if err := t.finishChildren(orphans, nil); err != nil {
				t.log.Error().Err(err).Str("session", r.session.ID).Msg("its children could not all be ended")
			}
		})
	}
}

// usage is what a process took: resident bytes at most, and processor time.
type usage struct{ rss, cpuMS int64 }

// conclude writes the record and then the ledger. A disk that takes no record now is an error, and the ledger is not told: the record comes
// before the telling. A place for it that is spoilt stays so, whoever waits; that is logged and does not keep the ledger from knowing.
func (t *Tree) conclude(s ledger.Session, v verdict, died time.Time, u usage) error {
	log := t.log.With().Str("session", s.ID).Str("delegation", s.DelegationID).Str("capsule", s.Capsule).Logger()
	took := max(died.Sub(s.StartedAt).Milliseconds(), 0)
	left, err := t.record(s, v, took)
	switch {
	case passing(err):
		return fmt.Errorf("record of session %s: %w", s.ID, err)
	case err != nil:
		log.Error().Err(err).Msg("its record could not be written")
	}
	ctx, cancel := t.bounded()
	defer cancel()
	err = t.ledger.Finish(ctx, s.ID, func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		end := ledger.FinishedSession{Status: v.status, Detail: v.detail, EndedAt: died, DurationMS: took, MaxRSS: u.rss, CPUMS: u.cpuMS, TasksDone: tasks(v)}
		if s.DelegationID == "" {
			return end, nil
		}
		a := left.answer
		return end, &ledger.FinishedDelegation{
			Status: v.status, Detail: v.detail, ReportedBy: string(v.reportedBy), KilledBy: v.killedBy, DurationMS: took, ResultPath: left.path,
			Answer:  ledger.Answer{State: a.State, Text: a.Text, Truncated: a.Truncated, WholePath: a.WholePath},
			Message: left.message, Tell: v.tell, DeliveryError: v.unheard,
		}
	})
	if err != nil {
		return fmt.Errorf("end of session %s: %w", s.ID, err)
	}
	log.Info().Str("status", string(v.status)).Str("detail", v.detail).Int64("duration_ms", took).Msg("session ended")
	return nil
}

// tasks counts the one task of a session that came to its end by itself.
func tasks(v verdict) int {
	if v.reportedBy == outcome.Child {
		return 1
	}
	return 0
}

// clear gives back what a session needs only while it lives: its door, its run folder and its runtime folder.
func (r *run) clear(w *launcher.Worker) {
	if w != nil {
		w.CloseDoor()
		w.Close()
	}
	if r.session.SpawnedBy == "" {
		r.tree.rates.forget(r.session.ID)
	}
}
