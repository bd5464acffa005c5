package tasks

import (
	"context"
	"time"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	"rookery/worker/hostlink"
)

// The timeline of an end, from its cause: ops answer canceled at once, then the guest
// is trapped, then the process leaves. The supervisor kills after a second.
const (
	trapAfter  = 500 * time.Millisecond
	leaveAfter = 700 * time.Millisecond
)

const (
	// sameTime is how close the two deadlines may be for the delegation's to be the
	// one that counts.
	sameTime = time.Second
	// supervisorLate is how long after the delegation's deadline the session ends
	// itself: a supervisor that lives has ended it by then.
	supervisorLate = 5 * time.Second
	// defaultOrphanTimeout is the fleet file's default.
	defaultOrphanTimeout = 10 * time.Minute
	// A worker that lost its supervisor gives those it delegated to, level by level
	// beneath it, this long to end first.
	levelStagger = 500 * time.Millisecond
	// staggerLevels is the default bound on depth; deeper ones end together.
	staggerLevels = 3
)

// enforce waits for trigger and then walks down the timeline, until over.
func (s *Session) enforce(ctx context.Context, trigger, over <-chan struct{}, leave func()) {
	select {
	case <-ctx.Done():
		return
	case <-trigger:
	}
	trap, gone := time.NewTimer(trapAfter), time.NewTimer(leaveAfter)
	defer trap.Stop()
	defer gone.Stop()
	s.calls.Cancel(s.reason())
	for {
		select {
		case <-over:
			return
		case <-trap.C:
			s.stopGuest()
		case <-gone.C:
			leave()
			return
		}
	}
}

// lastRecord is the watchdog's: the guest does not stop, so the process does, the
// record first.
func (s *Session) lastRecord() {
	if s.record.CompareAndSwap(recordOpen, recordClaimed) {
		s.Stdout.Flush()
		s.Stderr.Flush()
		end := failed(s.ownCause())
		end.lasted = s.lasted()
		if err := s.write(end); err != nil {
			s.Log.Error().Err(err).Msg("the record could not be written")
			s.Exit(plugin.ExitRecord)
			return
		}
		s.Exit(plugin.ExitWatchdog)
	}
}

// deadline is when the session ends itself, and why.
type deadline struct {
	at     time.Time // zero: never
	detail string
	tell   time.Time // when the capsule is ended, by whomever; zero: never
}

// deadline weighs the task's own deadline against the delegation's, which is the
// supervisor's to enforce.
func (s *Session) deadline() deadline {
	limits := s.Assigned.GetLimits()
	own, theirs := time.Time{}, time.Time{}
	limit := time.Duration(limits.GetDeadlineMs()) * time.Millisecond
	if limit > 0 {
		own = s.started.Add(limit)
	}
	if ms := limits.GetDelegationDeadlineUnixMs(); ms > 0 {
		theirs = s.started.Add(time.UnixMilli(ms).Sub(s.started))
	}
	switch {
	case theirs.IsZero():
		return deadline{own, "deadline " + outcome.Span(limit), own}
	case own.IsZero() || !theirs.After(own.Add(sameTime)):
		left := theirs.Sub(s.started).Round(time.Second)
		return deadline{theirs.Add(supervisorLate), "delegation deadline " + outcome.Span(left), theirs}
	default:
		return deadline{own, "deadline " + outcome.Span(limit), own}
	}
}

func (s *Session) watchDeadline(ctx context.Context, d deadline) {
	if d.at.IsZero() {
		return
	}
	timer := time.NewTimer(time.Until(d.at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-s.guestDone: // what is left to do has its own bounds
	case <-timer.C:
		s.stop(d.detail)
	}
}

// watchSupervisor ends a session that has been without a supervisor for too long.
func (s *Session) watchSupervisor(ctx context.Context, link *hostlink.Link) {
	limit := time.Duration(s.Assigned.GetLimits().GetOrphanTimeoutMs()) * time.Millisecond
	if limit <= 0 {
		limit = defaultOrphanTimeout
	}
	above := staggerLevels - min(staggerLevels, int(s.Assigned.GetSession().GetDepth()))
	if link.AwaitOrphaned(ctx, limit+time.Duration(above)*levelStagger) == nil {
		s.stop("no supervisor for " + limit.String())
	}
}
