package ledger_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

// The budgets of the model's hosts.
const (
	mostChildren = 3
	mostDepth    = 3
	mostTotal    = 60
)

var errFull = errors.New("full")

// model drives one ledger from several goroutines and remembers what each call
// was told.
type model struct {
	*host
	mu       sync.Mutex
	ids      []string          // every session that a Begin said it made
	finished map[string]int    // how many calls were told that they ended it
	first    map[string]string // the cause of the first MarkEnding that named it
}

// TestRandomInterleavings lets several goroutines do everything at once to one
// tree, while another reads, and checks what must hold whatever the order.
func TestRandomInterleavings(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		m := &model{host: newHost(t), finished: map[string]int{}, first: map[string]string{}}
		top := m.root()
		m.ready(top)
		m.ids = []string{top.ID}
		watched := m.watch()
		var done sync.WaitGroup
		for worker := range uint64(6) {
			done.Go(func() {
				random := rand.New(rand.NewPCG(seed, worker))
				for range 60 {
					m.step(random)
				}
			})
		}
		done.Wait()
		watched()
		m.check(top.ID)
	}
}

// step does one random thing to one random session.
func (m *model) step(random *rand.Rand) {
	t := m.t
	m.mu.Lock()
	target := m.ids[random.IntN(len(m.ids))]
	m.mu.Unlock()
	s := m.session(target)
	allowed := func(err error, among ...error) {
		for _, one := range among {
			if errors.Is(err, one) {
				return
			}
		}
		assert.NoError(t, err)
	}
	switch n := random.IntN(100); {
	case n < 45:
		asked := intent(s)
		_, err := m.Begin(t.Context(), asked, func(v ledger.View) error { return admit(v, s) })
		allowed(err, errFull, ledger.ErrEnding, ledger.ErrTerminal)
		if err == nil {
			m.mu.Lock()
			m.ids = append(m.ids, asked.Session.ID)
			m.mu.Unlock()
		}
	case n < 65:
		allowed(m.Started(t.Context(), target, process, "00", ""), ledger.ErrConflict, ledger.ErrEnding, ledger.ErrTerminal)
		allowed(m.Ready(t.Context(), target, "sealed"), ledger.ErrConflict, ledger.ErrEnding, ledger.ErrTerminal)
	case n < 75:
		// The root only seldom, or nothing would be left to do.
		if s.Depth == 0 && random.IntN(40) > 0 {
			return
		}
		m.mark(target)
	case n < 92:
		if s.Depth == 0 {
			return
		}
		err := m.Finish(t.Context(), target, ends(outcome.OK, random.IntN(4) > 0))
		allowed(err, ledger.ErrTerminal)
		if err == nil {
			m.mu.Lock()
			m.finished[target]++
			m.mu.Unlock()
		}
	default:
		var ids []string
		for _, d := range m.Released(target, 0) {
			ids = append(ids, d.ID)
		}
		assert.NoError(t, m.Delivered(t.Context(), target, ids, time.Now()))
	}
}

func admit(v ledger.View, parent ledger.Session) error {
	if v.LiveChildren(parent.ID) >= mostChildren || v.TotalUnder(parent.RootSessionID) >= mostTotal || parent.Depth >= mostDepth {
		return errFull
	}
	return nil
}

// mark ends a subtree and checks the order it is returned in.
func (m *model) mark(target string) {
	marked, err := m.MarkEnding(m.t.Context(), target, because(ledger.CauseOperator))
	if err != nil {
		m.t.Error(err)
		return
	}
	seen := map[string]bool{}
	for _, s := range marked {
		assert.False(m.t, seen[s.SpawnedBy], "a child comes behind its parent")
		seen[s.ID] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range marked {
		if said, known := m.first[s.ID]; known {
			assert.Equal(m.t, said, s.Cause.Detail, "a cause was replaced")
		}
		m.first[s.ID] = s.Cause.Detail
	}
}

// watch reads every row that is reported and checks that no row goes back. The
// returned function ends it.
func (m *model) watch() (end func()) {
	changes, stop := m.Watch()
	quit, gone := make(chan struct{}), make(chan struct{})
	rank := map[ledger.State]int{ledger.Starting: 1, ledger.Running: 2, ledger.Ending: 3, ledger.Ended: 4}
	go func() {
		defer close(gone)
		last := map[string]ledger.Session{}
		for {
			select {
			case <-quit:
				return
			case change := <-changes:
				assert.False(m.t, change.Missed)
				for _, id := range change.Sessions {
					was, is := last[id], m.session(id)
					assert.GreaterOrEqual(m.t, rank[is.State], rank[was.State])
					assert.GreaterOrEqual(m.t, is.Rev, was.Rev)
					assert.LessOrEqual(m.t, m.LiveChildren(id), mostChildren)
					if was.State == ledger.Ended {
						assert.Equal(m.t, was, is)
					}
					last[id] = is
				}
			}
		}
	}()
	return func() {
		stop()
		close(quit)
		<-gone
	}
}

// check holds the ledger against itself, against what its callers were told, and
// against its own file.
func (m *model) check(top string) {
	t := m.t
	live := map[string]int{}
	sessions, delegations := m.Sessions(ledger.Filter{}), m.Delegations(ledger.Filter{})
	require.Len(t, sessions, len(m.ids))
	require.Len(t, delegations, len(m.ids)-1)
	require.Greater(t, len(sessions), 10, "the model did nothing")
	all := 0
	for _, s := range sessions {
		if s.State.Live() {
			live[s.SpawnedBy]++
			all++
		}
		ended := 0
		if s.State == ledger.Ended {
			ended = 1
		}
		assert.Equal(t, ended, m.finished[s.ID], "one call ended it, no other was told that it had")
		if said, marked := m.first[s.ID]; marked {
			assert.Equal(t, said, s.Cause.Detail)
		} else {
			assert.Nil(t, s.Cause)
		}
		if s.State == ledger.Ending {
			for _, child := range m.Children(s.ID) {
				assert.NotContains(t, []ledger.State{ledger.Starting, ledger.Running}, child.State, "the subtree was marked in part")
			}
		}
	}
	assert.Equal(t, all, m.LiveHost())
	assert.Equal(t, len(delegations), m.TotalUnder(top))
	told := 0
	for _, s := range sessions {
		assert.Equal(t, live[s.ID], m.LiveChildren(s.ID))
		for i, d := range m.Released(s.ID, 0) {
			assert.EqualValues(t, i+1, d.Seq)
			told++
		}
	}
	for _, d := range delegations {
		s := m.session(d.SessionID)
		assert.Equal(t, s.State, d.State)
		assert.Equal(t, s.Status, d.Status)
		assert.Equal(t, s.Cause, d.Cause)
		if d.Told {
			told--
		}
	}
	assert.Zero(t, told, "every outcome that is told was released once")
	next := m.reread()
	assert.Equal(t, sessions, next.Sessions(ledger.Filter{}))
	assert.Equal(t, delegations, next.Delegations(ledger.Filter{}))
	assert.Equal(t, m.Released(top, 0), next.Released(top, 0))
}
