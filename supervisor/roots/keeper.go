package roots

import (
	"errors"
	"fmt"
	"time"

	"rookery/capsule/outcome"
	"rookery/supervisor/delegation"
	"rookery/supervisor/fleet"
	"rookery/supervisor/ledger"
)

// keeper is one root. Its goroutine alone changes what follows orders; before there is one, Start does.
type keeper struct {
	set    *Set
	root   Root
	orders chan order
	// done is closed when result is set, once.
	done   chan struct{}
	result Result

	count counter
	// broken says why there is no address, nil when there is one or none is needed.
	broken error
	// ended receives the end of the session that runs; nil when none does.
	ended chan seen
	// again is the wait before the next run; nil when there is none to wait for.
	again *time.Timer
	// session is the latest, last the latest end.
	session string
	last    Result
	// held is a session after which nothing follows: an operator wanted it to end.
	held    string
	stopped bool
}

// order is to run the root, or to hold it after a session.
type order struct {
	run    bool
	hold   string
	answer chan<- answered
}

type answered struct {
	session string
	err     error
}

// seen is a session that has ended, or why nobody knows.
type seen struct {
	session ledger.Session
	err     error
}

// open opens the root's address, where a stand-in answers until its first session serves.
func (k *keeper) open() {
	if k.root.Restart.When == fleet.Never {
		return
	}
	door, err := k.set.config.Door(k.set.ctx)
	if err == nil && door != nil {
		err = door.StandIn()
	}
	k.root.Door, k.broken = door, err
}

// keep takes over a root that has ended in the life of an earlier supervisor.
func (k *keeper) keep(last ledger.Session) {
	k.set.config.Log.Info().Str("root", k.root.ID).Str("session", last.ID).Str("status", string(last.Status)).
		Msg("it ended before the supervisor died, and stays ended")
	k.tell(Change{Session: last.ID, State: Kept, Detail: join(last.Detail, last.Note)})
	k.settle(resultOf(last))
}

// begin starts a session. One that could not be started has ended.
func (k *keeper) begin() (session string, err error) {
	if err = k.broken; err == nil {
		session, err = k.set.config.Start(k.set.ctx, k.root.Root)
	}
	if err != nil {
		k.last = Result{ID: k.root.ID, Status: outcome.Crashed, Detail: fmt.Sprintf("could not start: %v", err)}
		var refused *delegation.Refusal
		stopping := errors.As(err, &refused) && refused.Code == delegation.CodeShuttingDown
		k.decide(end{at: time.Now(), meant: stopping})
		return "", err
	}
	k.session, k.ended = session, make(chan seen, 1)
	k.set.wg.Go(func() {
		s, err := k.set.config.Ledger.WaitEnded(k.set.ctx, session)
		k.ended <- seen{s, err}
	})
	return session, nil
}

// live keeps the root until the Set is closed.
func (k *keeper) live() {
	stopping := k.set.stopping
	for {
		var again <-chan time.Time
		if k.again != nil {
			again = k.again.C
		}
		select {
		case e := <-k.ended:
			k.over(e)
		case <-again:
			k.again = nil
			_, _ = k.begin() // what went wrong is decided about there
		case o := <-k.orders:
			if o.run {
				o.answer <- k.obey()
			} else {
				k.hold(o.hold)
				o.answer <- answered{}
			}
		case <-stopping:
			stopping, k.stopped = nil, true
			if k.wait(0); k.ended == nil {
				k.settle(k.last)
			}
		case <-k.set.ctx.Done():
			k.wait(0)
			if k.ended != nil {
				<-k.ended
			}
			return
		}
	}
}

// over takes the end of the session that ran.
func (k *keeper) over(e seen) {
	k.ended = nil
	if e.err != nil {
		k.last = Result{ID: k.root.ID, Session: e.session.ID, Status: outcome.Unknown, Detail: e.err.Error()}
		k.settle(k.last)
		return
	}
	k.last = resultOf(e.session)
	wanted := meant(e.session)
	if !wanted && k.held == e.session.ID {
		wanted = true // it was quicker than the operator
		k.note(heldNote)
	}
	k.decide(end{at: time.Now(), ran: since(e.session), ok: e.session.Status == outcome.OK, meant: wanted})
}

// decide follows an end: another run after a wait, or none.
func (k *keeper) decide(e end) {
	e.meant = e.meant || k.stopped
	d := k.count.after(e)
	log := k.set.config.Log.With().Str("root", k.root.ID).Str("session", k.last.Session).Logger()
	switch {
	case d.again:
		detail := fmt.Sprintf("restart %d of %d within %s, after %s", d.number, k.root.Restart.Max, outcome.Span(k.root.Restart.Window), d.wait)
		log.Warn().Str("status", string(k.last.Status)).Msg("the root runs again: " + detail)
		k.tell(Change{Session: k.last.Session, State: Restarting, Detail: detail})
		k.wait(d.wait)
	case d.gaveUp:
		k.giveUp()
		k.settle(k.last)
	default:
		k.settle(k.last)
	}
}

// giveUp notes, wherever somebody may look, that this was the last run.
func (k *keeper) giveUp() {
	note := fmt.Sprintf("gave up after %d restarts in %s", k.root.Restart.Max, outcome.Span(k.root.Restart.Window))
	log := k.set.config.Log.With().Str("root", k.root.ID).Str("session", k.last.Session).Logger()
	log.Error().Str("status", string(k.last.Status)).Str("detail", k.last.Detail).Msg(note)
	k.note(note)
	k.tell(Change{Session: k.last.Session, State: GaveUp, Detail: k.last.Detail})
}

// note adds to the latest end what follows it.
func (k *keeper) note(text string) {
	k.last.Detail = join(k.last.Detail, text)
	if k.last.Session == "" {
		return
	}
	if err := k.set.config.Ledger.Note(k.set.ctx, k.last.Session, text); err != nil {
		k.set.config.Log.Error().Err(err).Str("root", k.root.ID).Str("session", k.last.Session).Msg("it could not be noted what followed its end")
	}
}

// settle makes an end the result, unless there is one.
func (k *keeper) settle(r Result) {
	k.last = r
	select {
	case <-k.done:
	default:
		k.result = r
		close(k.done)
	}
}

// obey starts the root for an operator.
func (k *keeper) obey() answered {
	switch {
	case k.stopped:
		return answered{err: ErrStopping}
	case k.ended != nil:
		return answered{err: fmt.Errorf("%s: %w", k.root.ID, ErrRuns)}
	}
	k.wait(0)
	k.count.reset()
	if k.root.Door == nil {
		k.open() // it was kept ended
	}
	session, err := k.begin()
	return answered{session, err}
}

// heldNote is what follows an end that an operator did not want to be followed by another run.
const heldNote = "not restarted: stopped by an operator"

// hold ends the wait after a session, or sees to it that there will be none.
func (k *keeper) hold(session string) {
	switch {
	case session != k.session:
	case k.ended != nil:
		k.held = session
	case k.again != nil:
		k.wait(0)
		k.note(heldNote)
		k.settle(k.last)
	}
}

// wait sets the wait before the next run, or ends it.
func (k *keeper) wait(d time.Duration) {
	if k.again != nil {
		k.again.Stop()
		k.again = nil
	}
	if d > 0 {
		k.again = time.NewTimer(d)
	}
}

func (k *keeper) tell(c Change) {
	c.Root = k.root.Root
	k.set.config.Tell(c)
}
