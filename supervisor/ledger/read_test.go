package ledger_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
	"rookery/supervisor/store"
)

func TestListsSelectAndPageInIDOrder(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	top, other := h.root(), h.root()
	a, b, c := h.child(top), h.child(top), h.child(other)
	require.NoError(t, h.Finish(t.Context(), b.ID, ends(outcome.Crashed, true)))
	sessions := func(f ledger.Filter) (ids []string) {
		for _, s := range h.Sessions(f) {
			ids = append(ids, s.ID)
		}
		return ids
	}
	delegations := func(f ledger.Filter) (ids []string) {
		for _, d := range h.Delegations(f) {
			ids = append(ids, d.SessionID)
		}
		return ids
	}
	assert.Equal(t, []string{top.ID, other.ID, a.ID, b.ID, c.ID}, sessions(ledger.Filter{}))
	assert.Equal(t, []string{b.ID}, sessions(ledger.Filter{States: []ledger.State{ledger.Ended}}))
	assert.Equal(t, []string{a.ID, b.ID, c.ID}, sessions(ledger.Filter{Capsule: "child"}))
	assert.Equal(t, []string{top.ID, a.ID, b.ID}, sessions(ledger.Filter{RootSessionID: top.ID}))
	assert.Equal(t, []string{c.ID}, delegations(ledger.Filter{ParentSessionID: other.ID}))
	assert.Equal(t, []string{b.ID}, delegations(ledger.Filter{Status: outcome.Crashed}))
	assert.Equal(t, []string{a.ID, c.ID}, delegations(ledger.Filter{States: []ledger.State{ledger.Starting, ledger.Running}}))
	assert.Empty(t, delegations(ledger.Filter{Capsule: "top"}))

	first := h.Sessions(ledger.Filter{Limit: 2})
	require.Len(t, first, 2)
	assert.Equal(t, []string{a.ID, b.ID}, sessions(ledger.Filter{After: first[1].ID, Limit: 2}))
	assert.Equal(t, []string{c.ID}, sessions(ledger.Filter{After: b.ID, Limit: 2}))
	assert.Empty(t, sessions(ledger.Filter{After: c.ID}))
	assert.Equal(t, []string{b.ID, c.ID}, delegations(ledger.Filter{After: a.DelegationID}))
}

func TestReadsWaitForNoWriter(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	top := h.root()
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	asked := intent(top)
	go func() {
		_, err := h.Begin(t.Context(), asked, func(ledger.View) error {
			close(entered)
			<-leave
			return nil
		})
		left <- err
	}()
	<-entered
	assert.Equal(t, ledger.Starting, h.session(top.ID).State)
	assert.Len(t, h.Sessions(ledger.Filter{}), 1)
	assert.Zero(t, h.LiveChildren(top.ID))
	_, known := h.Delegation(asked.Delegation.ID)
	assert.False(t, known, "seen before it was committed")
	close(leave)
	require.NoError(t, <-left)
	assert.Equal(t, 1, h.LiveChildren(top.ID))
}

func TestAWatcherIsToldOfEachRowOnceHoweverOftenItChanged(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	before := h.root()
	changes, stop := h.Watch()
	child := h.child(before)
	h.ready(child)
	require.NoError(t, h.Finish(t.Context(), child.ID, ends(outcome.OK, true)))
	got := <-changes
	assert.Equal(t, ledger.Change{Sessions: []string{child.ID}, Delegations: []string{child.DelegationID}}, got)

	stop()
	h.root()
	select {
	case got := <-changes:
		assert.Fail(t, "told after stop", "%v", got)
	default:
	}
	stop() // a second one does nothing
}

func TestASlowWatcherIsToldThatItMissedSomething(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	changes, stop := h.Watch()
	defer stop()
	_, err := h.MarkEnding(t.Context(), bush(h, 4, 5).ID, because(ledger.CauseDrain))
	require.NoError(t, err)
	got := <-changes
	assert.Equal(t, ledger.Change{Missed: true}, got)
	after := h.root()
	assert.Equal(t, ledger.Change{Sessions: []string{after.ID}}, <-changes)
}

// bush begins a tree of the given depth, each session with as many children, and
// returns its root.
func bush(h *host, depth, children int) ledger.Session {
	h.t.Helper()
	top := h.root()
	level := []ledger.Session{top}
	for range depth {
		var intents []ledger.Intent
		for _, parent := range level {
			for range children {
				intents = append(intents, intent(parent))
			}
		}
		level = level[:0]
		done := make(chan error)
		for _, begun := range intents {
			go func() {
				_, err := h.Begin(h.t.Context(), begun, nil)
				done <- err
			}()
			level = append(level, begun.Session)
		}
		for range intents {
			require.NoError(h.t, <-done)
		}
	}
	return top
}

func TestWaitEndedReturnsWhenTheEndIsCommitted(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	s := h.root()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	row, err := h.WaitEnded(ctx, s.ID)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, ledger.Starting, row.State)

	ended := make(chan ledger.Session, 1)
	go func() {
		row, err := h.WaitEnded(t.Context(), s.ID)
		assert.NoError(t, err)
		ended <- row
	}()
	h.ready(s)
	require.NoError(t, h.Finish(t.Context(), s.ID, ends(outcome.Error, false)))
	assert.Equal(t, h.session(s.ID), <-ended)
}

func TestNativeDigestsAreKept(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	_, known := h.NativeDigest("key")
	assert.False(t, known)
	require.NoError(t, h.PutNativeDigest(t.Context(), "key", "old"))
	require.NoError(t, h.PutNativeDigest(t.Context(), "key", "new"))
	for _, seen := range []*host{h, h.reread()} {
		digest, known := seen.NativeDigest("key")
		assert.True(t, known)
		assert.Equal(t, "new", digest)
	}
}

func TestRowsOfAnotherVersionOrOfNoneAreRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ bucket, key, value, says string }{
		"a newer schema":       {"meta", "ledger_schema", "2", "it was written by another version of this program (schema 2, this one reads 1)"},
		"a schema of no sense": {"meta", "ledger_schema", "x", `its schema "x" is not a number`},
		"a row that is none":   {"sessions", "ses_a", "{", "row ses_a: "},
		"a row under another":  {"delegations", "dlg_a", `{"delegation_id":"dlg_b"}`, "row dlg_a holds dlg_b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			path := filepath.Join(filepath.Dir(h.path), "other.db")
			s, _, err := store.Open(path, patience)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			_, err = ledger.Open(t.Context(), s)
			require.NoError(t, err)
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				return tx.Put(row.bucket, row.key, []byte(row.value))
			}))
			_, err = ledger.Open(t.Context(), s)
			require.ErrorContains(t, err, fmt.Sprintf("open the ledger: %s", row.says))
		})
	}
}
