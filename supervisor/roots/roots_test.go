package roots_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/outcome"
	"rookery/launcher"
	"rookery/supervisor/delegation"
	"rookery/supervisor/fleet"
	"rookery/supervisor/ledger"
	"rookery/supervisor/roots"
	"rookery/supervisor/store"
)

// run is how a session of these tests goes.
type run struct {
	lasts  time.Duration // 0: until somebody ends it
	status outcome.Status
	cause  ledger.CauseKind
	refuse error
}

// bench runs roots on a real ledger, in a time that only moves when everybody waits.
type bench struct {
	t       *testing.T
	ledger  *ledger.Book
	mu      sync.Mutex
	plan    []run // what the next sessions do; the last one is repeated
	started []time.Time
	told    []roots.Change
	begun   time.Time
}

func newBench(t *testing.T, plan ...run) *bench {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	s, _, err := store.Open(filepath.Join(dir, "state.db"), time.Second)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, os.RemoveAll(dir))
	})
	book, err := ledger.Open(t.Context(), s)
	require.NoError(t, err)
	return &bench{t: t, ledger: book, plan: plan, begun: time.Now()}
}

// set is one root with a policy.
func (b *bench) set(when fleet.When) *roots.Set {
	set := roots.New(b.t.Context(), roots.Config{
		Ledger: b.ledger, Start: b.start, Door: func(context.Context) (*launcher.Door, error) { return nil, nil }, Tell: b.tell,
	}, []roots.Root{{
		Root:    delegation.Root{ID: "top"},
		Restart: fleet.Restart{When: when, Max: 3, Window: 10 * time.Second, Backoff: 100 * time.Millisecond, BackoffMax: 300 * time.Millisecond},
	}})
	b.t.Cleanup(set.Close)
	return set
}

// start is what a tree does for a root, without a process.
func (b *bench) start(ctx context.Context, root delegation.Root) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.plan[0]
	if len(b.plan) > 1 {
		b.plan = b.plan[1:]
	}
	b.started = append(b.started, time.Now())
	if next.refuse != nil {
		return "", next.refuse
	}
	s := ledger.Session{ID: id.Session.New(), RootID: root.ID, Capsule: "top", Version: "1.0.0", StartedAt: time.Now()}
	if _, err := b.ledger.Begin(ctx, ledger.Intent{Session: s}, nil); err != nil {
		return "", err
	}
	if next.lasts > 0 {
		time.AfterFunc(next.lasts, func() { b.end(s.ID, next) })
	}
	return s.ID, nil
}

func (b *bench) end(session string, how run) {
	if how.cause != "" {
		_, err := b.ledger.MarkEnding(b.t.Context(), session, func(int, ledger.Session) ledger.Cause { return ledger.Cause{Kind: how.cause} })
		assert.NoError(b.t, err)
	}
	assert.NoError(b.t, b.ledger.Finish(b.t.Context(), session, func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		return ledger.FinishedSession{Status: how.status, Detail: "exit 3", DurationMS: how.lasts.Milliseconds()}, nil
	}))
}

func (b *bench) tell(c roots.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, c)
}

// starts are the times of all starts since the test began.
func (b *bench) starts() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []time.Duration
	for _, at := range b.started {
		out = append(out, at.Sub(b.begun))
	}
	return out
}

func (b *bench) states() []roots.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []roots.State
	for _, c := range b.told {
		out = append(out, c.State)
	}
	return out
}

// pass lets the bubble's time pass.
func pass(d time.Duration) { <-time.After(d) }

const ms = time.Millisecond

var fails = run{lasts: 50 * ms, status: outcome.Error}

func TestARootThatKeepsFailingIsGivenUpAndSaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fails)
		set := b.set(fleet.OnFailure)
		set.Start(nil)
		r, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{0, 150 * ms, 400 * ms, 750 * ms}, b.starts())
		assert.Equal(t, outcome.Error, r.Status)
		assert.Equal(t, "exit 3; gave up after 3 restarts in 10s", r.Detail)
		assert.Equal(t, []roots.State{roots.Restarting, roots.Restarting, roots.Restarting, roots.GaveUp}, b.states())
		row, _ := b.ledger.Session(r.Session)
		assert.Equal(t, "gave up after 3 restarts in 10s", row.Note)
		assert.Len(t, b.ledger.Sessions(ledger.Filter{}), 4, "every run is a session")
	})
}

func TestARootThatCannotBeStartedIsTriedAgainAsOneThatFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, run{refuse: errors.New("full")}, run{refuse: errors.New("full")}, run{lasts: ms, status: outcome.OK})
		set := b.set(fleet.OnFailure)
		set.Start(nil)
		r, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, outcome.OK, r.Status)
		assert.Equal(t, []time.Duration{0, 100 * ms, 300 * ms}, b.starts())

		b = newBench(t, run{refuse: errors.New("full")})
		set = b.set(fleet.Never)
		set.Start(nil)
		r, err = set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, roots.Result{ID: "top", Status: outcome.Crashed, Detail: "could not start: full"}, r)
	})
}

func TestWhatAnOperatorEndedStaysEndedUntilAnOperatorStartsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, run{lasts: ms, status: outcome.Terminated, cause: ledger.CauseOperator}, run{})
		set := b.set(fleet.Always)
		set.Start(nil)
		r, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, outcome.Terminated, r.Status)
		assert.Empty(t, b.states())
		session, err := set.Run(t.Context(), "top")
		require.NoError(t, err)
		assert.NotEqual(t, r.Session, session)
		_, err = set.Run(t.Context(), "top")
		require.ErrorIs(t, err, roots.ErrRuns)
		_, err = set.Run(t.Context(), "other")
		require.ErrorIs(t, err, roots.ErrUnknown)
		b.end(session, run{status: outcome.OK, cause: ledger.CauseDrain})
		set.Stop()
		synctest.Wait()
		_, err = set.Run(t.Context(), "top")
		require.ErrorIs(t, err, roots.ErrStopping)
	})
}

func TestAnOperatorsStartCountsAnewAndNeedNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fails)
		set := b.set(fleet.OnFailure)
		set.Start(nil)
		_, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		_, err = set.Run(t.Context(), "top")
		require.NoError(t, err, "what was given up can be started")
		pass(60 * ms) // the run has failed, and its restart waits
		_, err = set.Run(t.Context(), "top")
		require.NoError(t, err)
		pass(time.Hour)
		// 800 ms: the end after which it was given up.
		assert.Equal(t, []time.Duration{800 * ms, 860 * ms, 1010 * ms, 1260 * ms, 1610 * ms}, b.starts()[4:])
		assert.Equal(t, roots.GaveUp, b.states()[len(b.states())-1])
	})
}

func TestAStopDuringTheWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fails)
		set := b.set(fleet.OnFailure)
		set.Start(nil)
		pass(60 * ms)
		set.Stop()
		r, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, 60*ms, time.Since(b.begun))
		assert.Equal(t, outcome.Error, r.Status)
		assert.Equal(t, "exit 3", r.Detail)
		set.Close()
		assert.Len(t, b.starts(), 1)
	})
}

func TestAnOperatorsStopReachesARootThatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fails)
		set := b.set(fleet.OnFailure)
		set.Start(nil)
		first := b.ledger.Sessions(ledger.Filter{})[0].ID
		pass(160 * ms) // the second session runs
		require.NoError(t, set.Hold(t.Context(), "top", first), "it is not the latest any more")
		pass(50 * ms) // the second session has failed
		second := b.ledger.Sessions(ledger.Filter{})[1].ID
		require.NoError(t, set.Hold(t.Context(), "top", second))
		r, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, "exit 3; not restarted: stopped by an operator", r.Detail)
		pass(time.Hour)
		assert.Len(t, b.starts(), 2)

		// Its end may be on the way when the operator comes.
		session, err := set.Run(t.Context(), "top")
		require.NoError(t, err)
		require.NoError(t, set.Hold(t.Context(), "top", session))
		pass(time.Hour)
		assert.Len(t, b.starts(), 3)
		require.ErrorIs(t, set.Hold(t.Context(), "none", session), roots.ErrUnknown)
	})
}

func TestARootThatRunsWhenTheStopComesEndsWithItsSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, run{lasts: time.Second, status: outcome.Error})
		set := b.set(fleet.Always)
		set.Start(nil)
		set.Stop()
		_, err := set.Wait(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(b.begun))
		assert.Len(t, b.starts(), 1)
	})
}

func TestWhatASupervisorThatDiedHasLeft(t *testing.T) {
	t.Parallel()
	end := func(status outcome.Status, cause ledger.CauseKind) run {
		return run{lasts: ms, status: status, cause: cause}
	}
	for name, c := range map[string]struct {
		when  fleet.When
		left  run
		note  string
		again bool
	}{
		"never, ended ok":                         {fleet.Never, end(outcome.OK, ""), "", false},
		"never, failed":                           {fleet.Never, end(outcome.Error, ""), "", false},
		"never, ended with the supervisor":        {fleet.Never, end(outcome.Terminated, ledger.CauseSweep), "", true},
		"never, died unseen":                      {fleet.Never, end(outcome.Crashed, ledger.CauseSweep), "", true},
		"never, ended ok without its supervisor":  {fleet.Never, end(outcome.OK, ledger.CauseSweep), "", false},
		"never, ended by a stop that was cut off": {fleet.Never, end(outcome.Terminated, ledger.CauseDrain), "", true},
		"on-failure, ended ok":                    {fleet.OnFailure, end(outcome.OK, ""), "", false},
		"on-failure, failed":                      {fleet.OnFailure, end(outcome.Error, ""), "", true},
		"on-failure, was given up":                {fleet.OnFailure, end(outcome.Error, ""), "gave up", false},
		"on-failure, ended by an operator":        {fleet.OnFailure, end(outcome.Terminated, ledger.CauseOperator), "", false},
		"always, ended ok":                        {fleet.Always, end(outcome.OK, ""), "", true},
		"always, was given up":                    {fleet.Always, end(outcome.OK, ""), "gave up", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, c.left, run{})
				before := b.set(fleet.Never)
				before.Start(nil)
				left, err := before.Wait(t.Context(), 0)
				require.NoError(t, err)
				if c.note != "" {
					require.NoError(t, b.ledger.Note(t.Context(), left.Session, c.note))
				}
				assert.Empty(t, roots.Past(b.ledger, time.Now()), "an earlier life does not count")

				set := b.set(c.when)
				set.Start(roots.Past(b.ledger, b.begun))
				synctest.Wait()
				if c.again {
					assert.Len(t, b.starts(), 2)
					return
				}
				assert.Len(t, b.starts(), 1)
				r, err := set.Wait(t.Context(), 0)
				require.NoError(t, err)
				assert.Equal(t, left.Session, r.Session)
				assert.Equal(t, []roots.State{roots.Kept}, b.states())
				_, err = set.Run(t.Context(), "top")
				require.NoError(t, err)
			})
		})
	}
}

func TestASessionThatLivesHidesTheEndBeforeIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, run{lasts: ms, status: outcome.OK}, run{})
		set := b.set(fleet.Always)
		set.Start(nil)
		pass(time.Minute)
		require.Len(t, b.starts(), 2)
		assert.Empty(t, roots.Past(b.ledger, b.begun))
	})
}

func TestTheMarkOfAFleetThatIsUp(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, "up")
	first := time.Now().UTC().Round(0)

	begun, clean, err := roots.Mark(path, first)
	require.NoError(t, err)
	assert.True(t, clean)
	assert.Equal(t, first, begun)
	begun, clean, err = roots.Mark(path, first.Add(time.Hour))
	require.NoError(t, err)
	assert.False(t, clean, "nobody has stopped the first one")
	assert.Equal(t, first, begun, "the fleet was up since then")

	require.NoError(t, roots.Unmark(path))
	require.NoError(t, roots.Unmark(path))
	_, clean, err = roots.Mark(path, first)
	require.NoError(t, err)
	assert.True(t, clean)

	require.NoError(t, os.WriteFile(path, []byte("\x1b[31m"), 0o600))
	begun, clean, err = roots.Mark(path, first)
	require.ErrorIs(t, err, roots.ErrMark)
	assert.True(t, clean, "nothing is known: every root is started")
	assert.Equal(t, first, begun)
	_, _, err = roots.Mark(path, first)
	require.NoError(t, err, "it was replaced")
}
