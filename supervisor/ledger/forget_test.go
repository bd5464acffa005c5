package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

func TestOnlyWholeEndedTreesAreForgotten(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	top := h.root()
	h.ready(top)
	child := h.child(top)
	h.ready(child)
	grandchild := h.child(child)
	all := []string{top.ID, child.ID, grandchild.ID}
	forget := func(ids ...string) error { return h.Forget(t.Context(), ids) }

	require.ErrorIs(t, forget(all...), ledger.ErrConflict, "all of it lives")
	h.end(grandchild)
	h.end(child)
	require.ErrorIs(t, forget(all...), ledger.ErrConflict, "the root lives")
	h.end(top)
	require.ErrorIs(t, forget(top.ID, child.ID), ledger.ErrConflict, "a child would be left over")
	require.Len(t, h.Sessions(ledger.Filter{}), 3, "what is refused changes nothing")

	other := h.root()
	h.ready(other)
	kept := h.child(other)
	changes, stop := h.Watch()
	defer stop()
	require.NoError(t, forget(append(all, top.ID, "ses_none")...), "repeats and strangers are passed over")
	change := <-changes
	assert.ElementsMatch(t, all, change.Sessions)
	assert.ElementsMatch(t, []string{child.DelegationID, grandchild.DelegationID}, change.Delegations)
	for _, host := range []*host{h, h.reread()} {
		assert.Len(t, host.Sessions(ledger.Filter{}), 2)
		assert.Len(t, host.Delegations(ledger.Filter{}), 1)
		assert.Empty(t, host.Children(top.ID))
		assert.Empty(t, host.Released(top.ID, 0))
		assert.Zero(t, host.TotalUnder(top.ID))
		assert.Equal(t, 2, host.LiveHost())
		assert.Equal(t, 1, host.LiveChildren(other.ID))
		assert.Equal(t, []string{kept.ID}, ids(host.Children(other.ID)))
	}
	// A request id of a session that is forgotten means nothing any more.
	again := intent(other)
	_, err := h.Begin(t.Context(), again, nil)
	require.NoError(t, err)
}

func ids(sessions []ledger.Session) []string {
	var out []string
	for _, s := range sessions {
		out = append(out, s.ID)
	}
	return out
}

func TestWhatFollowedARootsEndIsNotedOnce(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	top := h.root()
	h.ready(top)
	child := h.child(top)
	require.ErrorIs(t, h.Note(t.Context(), top.ID, "x"), ledger.ErrConflict, "it lives")
	h.end(child)
	require.ErrorIs(t, h.Note(t.Context(), child.ID, "x"), ledger.ErrConflict, "it is no root's")
	require.ErrorIs(t, h.Note(t.Context(), "ses_none", "x"), ledger.ErrNotFound)
	h.end(top)
	require.NoError(t, h.Note(t.Context(), top.ID, "gave up"))
	require.NoError(t, h.Note(t.Context(), top.ID, "something else"))
	assert.Equal(t, "gave up", h.reread().session(top.ID).Note)
}

func TestADigestOfNativeCodeIsForgotten(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	require.NoError(t, h.PutNativeDigest(t.Context(), "k", "d"))
	require.NoError(t, h.PutNativeDigest(t.Context(), "a", "d"))
	assert.Equal(t, []string{"a", "k"}, h.NativeKeys())
	require.NoError(t, h.ForgetNative(t.Context(), "k"))
	require.NoError(t, h.ForgetNative(t.Context(), "none"))
	assert.Equal(t, []string{"a"}, h.reread().NativeKeys())
	_, known := h.NativeDigest("k")
	assert.False(t, known)
}

// end finishes a session whose parent is told.
func (h *host) end(s ledger.Session) {
	h.t.Helper()
	require.NoError(h.t, h.Finish(h.t.Context(), s.ID, ends(outcome.OK, true)))
}
