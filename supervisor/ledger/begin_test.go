package ledger_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

func TestAnIntentIsDurableBeforeThereIsAProcess(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	child := h.child(parent)
	assert.Equal(t, ledger.Starting, child.State)
	assert.Equal(t, ledger.LocalHost, child.Host)
	assert.Zero(t, child.Identity)
	assert.EqualValues(t, 1, child.Rev)

	next := h.reread()
	assert.Equal(t, child, next.session(child.ID))
	assert.Equal(t, h.delegation(child.DelegationID), next.delegation(child.DelegationID))
	assert.Equal(t, parent.ID, next.session(parent.ID).RootSessionID)
	assert.Equal(t, 2, next.LiveHost())
	assert.Equal(t, 1, next.LiveChildren(parent.ID))
	assert.Equal(t, 1, next.TotalUnder(parent.ID))
}

func TestARepeatedRequestGetsTheFirstDelegation(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent, other := h.root(), h.root()
	first := intent(parent)
	_, err := h.Begin(t.Context(), first, nil)
	require.NoError(t, err)

	again := intent(parent)
	again.Delegation.RequestID = first.Delegation.RequestID
	refuse := func(ledger.View) error { return errors.New("admission was asked about a repeat") }
	existing, err := h.Begin(t.Context(), again, refuse)
	require.NoError(t, err)
	assert.Equal(t, first.Delegation.ID, existing.ID)

	again.Delegation.RequestDigest = "another"
	existing, err = h.Begin(t.Context(), again, refuse)
	require.ErrorIs(t, err, ledger.ErrRequestReused)
	assert.Equal(t, first.Delegation.ID, existing.ID)

	elsewhere := intent(other)
	elsewhere.Delegation.RequestID = first.Delegation.RequestID
	existing, err = h.Begin(t.Context(), elsewhere, nil)
	require.NoError(t, err, "request ids of two sessions are told apart")
	assert.Nil(t, existing)

	// Also by the next supervisor, and after the delegation has ended.
	require.NoError(t, h.Finish(t.Context(), first.Session.ID, ends(outcome.OK, true)))
	again.Delegation.RequestDigest = first.Delegation.RequestDigest
	existing, err = h.reread().Begin(t.Context(), again, refuse)
	require.NoError(t, err)
	assert.Equal(t, first.Delegation.ID, existing.ID)
	assert.Equal(t, ledger.Ended, existing.State)
}

func TestARefusedIntentLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	refused := errors.New("no")
	_, err := h.Begin(t.Context(), intent(parent), func(ledger.View) error { return refused })
	assert.Equal(t, refused, err)
	assert.Len(t, h.Sessions(ledger.Filter{}), 1)
	assert.Empty(t, h.Delegations(ledger.Filter{}))
	assert.Equal(t, 1, h.LiveHost())
	assert.Zero(t, h.TotalUnder(parent.ID))
}

func TestRowsThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	taken := h.child(parent)
	for name, spoil := range map[string]func(*ledger.Intent){
		"a session id that is none":      func(i *ledger.Intent) { i.Session.ID = "../ses_1" },
		"a delegation id that is none":   func(i *ledger.Intent) { i.Delegation.ID, i.Session.DelegationID = "dlg_", "dlg_" },
		"no request id":                  func(i *ledger.Intent) { i.Delegation.RequestID = "" },
		"another child":                  func(i *ledger.Intent) { i.Delegation.SessionID = id.Session.New() },
		"another parent":                 func(i *ledger.Intent) { i.Session.SpawnedBy = id.Session.New() },
		"another capsule":                func(i *ledger.Intent) { i.Session.Capsule = "other" },
		"another depth":                  func(i *ledger.Intent) { i.Session.Depth++ },
		"a depth the parent cannot give": func(i *ledger.Intent) { i.Session.Depth, i.Delegation.Depth = 3, 3 },
		"another root":                   func(i *ledger.Intent) { i.Session.RootSessionID, i.Delegation.RootSessionID = taken.ID, taken.ID },
		"a delegated one without its delegation": func(i *ledger.Intent) {
			i.Delegation = nil
		},
		"a session that is there": func(i *ledger.Intent) { i.Session.ID, i.Delegation.SessionID = taken.ID, taken.ID },
		"a delegation that is there": func(i *ledger.Intent) {
			i.Session.DelegationID, i.Delegation.ID = taken.DelegationID, taken.DelegationID
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spoiled := intent(parent)
			spoil(&spoiled)
			_, err := h.Begin(t.Context(), spoiled, nil)
			require.ErrorIs(t, err, ledger.ErrConflict)
			assert.Len(t, h.Sessions(ledger.Filter{}), 2)
		})
	}
}

func TestNothingBeginsBeneathASessionOnItsWayOut(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	h.ready(parent)
	h.child(parent)
	_, err := h.MarkEnding(t.Context(), parent.ID, because(ledger.CauseOperator))
	require.NoError(t, err)
	_, err = h.Begin(t.Context(), intent(parent), nil)
	require.ErrorIs(t, err, ledger.ErrEnding)
	require.NoError(t, h.Finish(t.Context(), parent.ID, ends(outcome.Terminated, false)))
	_, err = h.Begin(t.Context(), intent(parent), nil)
	require.ErrorIs(t, err, ledger.ErrTerminal)
	_, err = h.Begin(t.Context(), intent(ledger.Session{ID: id.Session.New()}), nil)
	assert.ErrorIs(t, err, ledger.ErrNotFound)
}

func TestBudgetsHoldHoweverManyAskAtOnce(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	const children, total = 4, 6
	full := errors.New("full")
	admit := func(v ledger.View) error {
		if v.LiveChildren(parent.ID) >= children || v.TotalUnder(parent.ID) >= total || v.LiveHost() > children {
			return full
		}
		return nil
	}
	begin := func(callers int) (begun []string) {
		var mu sync.Mutex
		var refused atomic.Int32
		var done sync.WaitGroup
		for range callers {
			done.Go(func() {
				asked := intent(parent)
				_, err := h.Begin(t.Context(), asked, admit)
				if err != nil {
					assert.Equal(t, full, err)
					refused.Add(1)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				begun = append(begun, asked.Session.ID)
			})
		}
		done.Wait()
		assert.Equal(t, callers, len(begun)+int(refused.Load()))
		return begun
	}
	first := begin(100)
	assert.Len(t, first, children)
	assert.Equal(t, children, h.LiveChildren(parent.ID))
	for _, session := range first {
		require.NoError(t, h.Finish(t.Context(), session, ends(outcome.OK, true)))
	}
	assert.Zero(t, h.LiveChildren(parent.ID))
	assert.Len(t, begin(100), total-children, "the total counts ended ones too")
	assert.Equal(t, total, h.TotalUnder(parent.ID))
}

func TestOneRequestSentManyTimesAtOnceMakesOneDelegation(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	parent := h.root()
	requestID := id.Request.New()
	var made atomic.Int32
	var done sync.WaitGroup
	for range 50 {
		done.Go(func() {
			asked := intent(parent)
			asked.Delegation.RequestID = requestID
			existing, err := h.Begin(t.Context(), asked, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if existing == nil {
				made.Add(1)
				return
			}
			_, known := h.Delegation(existing.ID)
			assert.True(t, known, "answered before it was committed")
		})
	}
	done.Wait()
	assert.EqualValues(t, 1, made.Load())
	assert.Len(t, h.Children(parent.ID), 1)
}
