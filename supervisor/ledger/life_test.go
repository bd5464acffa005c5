package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

func TestALifeIsOnDiskAtEveryStep(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	h.ready(parent)
	child := h.child(parent)
	sameOnDisk := func(state ledger.State) {
		t.Helper()
		next := h.reread()
		s, d := h.session(child.ID), h.delegation(child.DelegationID)
		assert.Equal(t, state, s.State)
		assert.Equal(t, state, d.State)
		assert.Equal(t, s, next.session(child.ID))
		assert.Equal(t, d, next.delegation(child.DelegationID))
	}
	require.NoError(t, h.Started(t.Context(), child.ID, process, "0011aabb", "http://127.0.0.1:1"))
	sameOnDisk(ledger.Starting)
	assert.Equal(t, process, h.session(child.ID).Identity)
	require.NoError(t, h.Ready(t.Context(), child.ID, "sealed"))
	sameOnDisk(ledger.Running)
	assert.False(t, h.session(child.ID).ReadyAt.IsZero())
	_, err := h.MarkEnding(t.Context(), child.ID, because(ledger.CauseOperator))
	require.NoError(t, err)
	sameOnDisk(ledger.Ending)
	require.NoError(t, h.Finish(t.Context(), child.ID, ends(outcome.Terminated, true)))
	sameOnDisk(ledger.Ended)
	assert.Equal(t, "forty-two", h.delegation(child.DelegationID).Answer.Text)
	require.NoError(t, h.Delivered(t.Context(), parent.ID, []string{child.DelegationID}, time.Now()))
	sameOnDisk(ledger.Ended)
	d := h.delegation(child.DelegationID)
	assert.True(t, d.Delivered)
	assert.Empty(t, d.DeliveryError)
	assert.Empty(t, d.Answer.Text, "the text goes when it has arrived")
	assert.Empty(t, d.Message)
	assert.Equal(t, outcome.ResultText, d.Answer.State)
	assert.EqualValues(t, 1, d.Seq)
}

func TestWhatHasBeenDecidedStays(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(*host, string) error{
		"started":        func(h *host, s string) error { return h.Started(h.t.Context(), s, process, "00", "") },
		"ready":          func(h *host, s string) error { return h.Ready(h.t.Context(), s, "sealed") },
		"a second end":   func(h *host, s string) error { return h.Finish(h.t.Context(), s, ends(outcome.OK, true)) },
		"a late cause":   func(h *host, s string) error { return late(h, s) },
		"a second cause": func(h *host, s string) error { return late(h, s) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			child := h.child(h.root())
			require.NoError(t, h.Finish(t.Context(), child.ID, ends(outcome.Crashed, true)))
			s, d := h.session(child.ID), h.delegation(child.DelegationID)
			require.ErrorIs(t, step(h, child.ID), ledger.ErrTerminal)
			assert.Equal(t, s, h.session(child.ID))
			assert.Equal(t, d, h.delegation(child.DelegationID))
		})
	}
}

// late marks an ended session; that is no error, but it gives nothing.
func late(h *host, session string) error {
	marked, err := h.MarkEnding(h.t.Context(), session, because(ledger.CauseDrain))
	require.NoError(h.t, err)
	require.Empty(h.t, marked)
	return ledger.ErrTerminal
}

func TestASessionThatIsBeingEndedDoesNotGoOn(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	gated, handshaken := h.root(), h.root()
	require.NoError(t, h.Started(t.Context(), handshaken.ID, process, "00", ""))
	for _, s := range []ledger.Session{gated, handshaken} {
		_, err := h.MarkEnding(t.Context(), s.ID, because(ledger.CauseDrain))
		require.NoError(t, err)
	}
	require.ErrorIs(t, h.Started(t.Context(), gated.ID, process, "00", ""), ledger.ErrEnding)
	assert.Zero(t, h.session(gated.ID).Identity)
	assert.ErrorIs(t, h.Ready(t.Context(), handshaken.ID, "sealed"), ledger.ErrEnding)
}

func TestStepsOutOfOrderAreRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	s := h.root()
	require.ErrorIs(t, h.Ready(t.Context(), s.ID, "sealed"), ledger.ErrConflict, "ready without a process")
	require.ErrorIs(t, h.Started(t.Context(), s.ID, ledger.Identity{PID: 1}, "00", ""), ledger.ErrConflict, "half an identity")
	h.ready(s)
	require.ErrorIs(t, h.Started(t.Context(), s.ID, process, "00", ""), ledger.ErrConflict, "started twice")
	require.ErrorIs(t, h.Ready(t.Context(), s.ID, "sealed"), ledger.ErrConflict, "ready twice")

	nobody := id.Session.New()
	require.ErrorIs(t, h.Started(t.Context(), nobody, process, "00", ""), ledger.ErrNotFound)
	require.ErrorIs(t, h.Ready(t.Context(), nobody, ""), ledger.ErrNotFound)
	require.ErrorIs(t, h.Finish(t.Context(), nobody, ends(outcome.OK, false)), ledger.ErrNotFound)
	_, err := h.MarkEnding(t.Context(), nobody, because(ledger.CauseDrain))
	require.ErrorIs(t, err, ledger.ErrNotFound)
	_, err = h.WaitEnded(t.Context(), nobody)
	assert.ErrorIs(t, err, ledger.ErrNotFound)
}

func TestAnEndWithoutItsDelegationIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	root := h.root()
	child := h.child(root)
	half := func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		return ledger.FinishedSession{Status: outcome.OK}, nil
	}
	much := func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		return ledger.FinishedSession{Status: outcome.OK}, &ledger.FinishedDelegation{Status: outcome.OK}
	}
	none := func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		return ledger.FinishedSession{}, nil
	}
	require.ErrorIs(t, h.Finish(t.Context(), child.ID, half), ledger.ErrConflict)
	require.ErrorIs(t, h.Finish(t.Context(), root.ID, much), ledger.ErrConflict)
	require.ErrorIs(t, h.Finish(t.Context(), root.ID, none), ledger.ErrConflict)
	assert.Equal(t, ledger.Starting, h.session(child.ID).State)
}

func TestASubtreeIsMarkedAtOnceAndReturnedLeafFirst(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	top := h.root()
	left, right := h.child(top), h.child(top)
	under, dead := h.child(left), h.child(right)
	deep := h.child(dead)
	stranger := h.child(h.root())
	require.NoError(t, h.Finish(t.Context(), dead.ID, ends(outcome.Crashed, true)))
	_, err := h.MarkEnding(t.Context(), under.ID, because(ledger.CauseParent))
	require.NoError(t, err)

	marked, err := h.MarkEnding(t.Context(), top.ID, because(ledger.CauseOperator))
	require.NoError(t, err)
	var order []string
	for _, s := range marked {
		order = append(order, s.ID)
		assert.Equal(t, h.session(s.ID), s)
		assert.Equal(t, ledger.Ending, s.State)
	}
	assert.Equal(t, []string{deep.ID, under.ID, right.ID, left.ID, top.ID}, order)
	assert.Equal(t, "operator, 0 deep", h.session(top.ID).Cause.Detail)
	assert.Equal(t, "operator, 1 deep", h.delegation(left.DelegationID).Cause.Detail)
	assert.Equal(t, "operator, 3 deep", h.session(deep.ID).Cause.Detail, "an ended one hid its children")
	assert.Equal(t, "parent, 0 deep", h.session(under.ID).Cause.Detail, "the first cause was replaced")
	assert.False(t, h.session(top.ID).Cause.At.IsZero())
	assert.Equal(t, ledger.Ended, h.session(dead.ID).State)
	assert.Equal(t, ledger.Starting, h.session(stranger.ID).State)
	assert.Equal(t, h.session(deep.ID), h.reread().session(deep.ID))
}

func TestReleasesAreNumberedAlongTheParent(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent, other := h.root(), h.root()
	var children []ledger.Session
	for range 5 {
		children = append(children, h.child(parent))
	}
	foreign := h.child(other)
	for _, n := range []int{3, 0, 4, 1} {
		require.NoError(t, h.Finish(t.Context(), children[n].ID, ends(outcome.OK, n != 4)))
	}
	require.NoError(t, h.Finish(t.Context(), foreign.ID, ends(outcome.OK, true)))

	for _, seen := range []*host{h, h.reread()} {
		var order []string
		for i, d := range seen.Released(parent.ID, 0) {
			assert.EqualValues(t, i+1, d.Seq)
			order = append(order, d.SessionID)
		}
		assert.Equal(t, []string{children[3].ID, children[0].ID, children[1].ID}, order, "one that nobody is told has no place")
		assert.Len(t, seen.Released(parent.ID, 2), 1)
		assert.Empty(t, seen.Released(parent.ID, 3))
		assert.Empty(t, seen.Released(parent.ID, 99))
		assert.Len(t, seen.Released(other.ID, 0), 1)
	}
	assert.Zero(t, h.delegation(children[4].DelegationID).Seq)
	assert.False(t, h.delegation(children[4].DelegationID).Told)

	// Only the parent's own, released ones are marked, and once.
	ids := []string{children[3].DelegationID, children[3].DelegationID, children[4].DelegationID, children[2].DelegationID, foreign.DelegationID, "dlg_none"}
	require.NoError(t, h.Delivered(t.Context(), parent.ID, ids, time.Now()))
	once := h.delegation(children[3].DelegationID)
	assert.True(t, once.Delivered)
	assert.Equal(t, once, h.Released(parent.ID, 0)[0])
	for _, not := range []ledger.Session{children[4], children[2], children[0], foreign} {
		assert.False(t, h.delegation(not.DelegationID).Delivered)
	}
	require.NoError(t, h.Delivered(t.Context(), parent.ID, ids, time.Now()))
	assert.Equal(t, once, h.delegation(once.ID))
}
