package events_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/outcome"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/events"
	"rookery/supervisor/ledger"
	"rookery/supervisor/store"
)

// book is a ledger in a folder of the test's own.
func book(t *testing.T) *ledger.Book {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	s, _, err := store.Open(filepath.Join(dir, "state.db"), time.Second)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, os.RemoveAll(dir))
	})
	b, err := ledger.Open(t.Context(), s)
	require.NoError(t, err)
	return b
}

// follow tells what changes in fn, and returns it.
func follow(t *testing.T, b *ledger.Book, fn func()) []*operatorv1.Event {
	t.Helper()
	ring := events.New(start)
	f := events.NewFollower(ring, b)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	fn()
	stop()
	<-done
	var all []*operatorv1.Event
	for reader := ring.From(0); ; {
		batch, missed, _, _ := reader.Read()
		require.Zero(t, missed)
		if len(batch) == 0 {
			return all
		}
		all = append(all, batch...)
	}
}

func begin(t *testing.T, b *ledger.Book, parent *ledger.Session) (ledger.Session, *ledger.Delegation) {
	t.Helper()
	s := ledger.Session{ID: id.Session.New(), Capsule: "c", Version: "1.0.0"}
	s.RootSessionID = s.ID
	var d *ledger.Delegation
	if parent != nil {
		d = &ledger.Delegation{
			ID: id.Delegation.New(), RequestID: id.Request.New(), ParentSessionID: parent.ID, RootSessionID: parent.RootSessionID, SessionID: s.ID,
			Capsule: "c", Version: "1.0.0", Depth: parent.Depth + 1,
		}
		s.SpawnedBy, s.DelegationID, s.RootSessionID, s.Depth = parent.ID, d.ID, parent.RootSessionID, d.Depth
	}
	_, err := b.Begin(t.Context(), ledger.Intent{Session: s, Delegation: d}, nil)
	require.NoError(t, err)
	return s, d
}

func run(t *testing.T, b *ledger.Book, session string) {
	t.Helper()
	require.NoError(t, b.Started(t.Context(), session, ledger.Identity{PID: 1, BootID: "x"}, "00000000", "http://x"))
	require.NoError(t, b.Ready(t.Context(), session, "advisory"))
}

func finish(t *testing.T, b *ledger.Book, session, detail string) {
	t.Helper()
	err := b.Finish(t.Context(), session, func(s ledger.Session, d *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		end := ledger.FinishedSession{Status: outcome.Error, Detail: detail}
		if d == nil {
			return end, nil
		}
		return end, &ledger.FinishedDelegation{
			Status: outcome.Error, Detail: detail, Answer: ledger.Answer{State: outcome.ResultText, Text: "the guest's secret answer"},
			Message: "the guest's secret message", Tell: true,
		}
	})
	require.NoError(t, err)
}

func TestEveryStateARowPassesThroughIsToldOnceAndInOrder(t *testing.T) {
	t.Parallel()
	b := book(t)
	before, _ := begin(t, b, nil)
	var root, child ledger.Session
	var d *ledger.Delegation
	got := follow(t, b, func() {
		root, _ = begin(t, b, nil)
		run(t, b, root.ID)
		child, d = begin(t, b, &root)
		run(t, b, child.ID)
		_, err := b.MarkEnding(t.Context(), child.ID, func(int, ledger.Session) ledger.Cause {
			return ledger.Cause{Kind: ledger.CauseOperator, Status: outcome.Terminated, Detail: "x"}
		})
		require.NoError(t, err)
		finish(t, b, child.ID, "exit 3")
		finish(t, b, root.ID, "exit 1")
		finish(t, b, before.ID, "exit 1")
	})
	states := map[string][]string{}
	for _, e := range got {
		key := e.GetSessionId()
		if e.GetKind() != operatorv1.EventKind_EVENT_KIND_SESSION {
			key = e.GetDelegationId()
		}
		states[key] = append(states[key], e.GetState())
	}
	assert.Equal(t, []string{"starting", "running", "ended"}, states[root.ID])
	assert.Equal(t, []string{"starting", "running", "ending", "ended"}, states[child.ID])
	assert.Equal(t, []string{"starting", "running", "ending", "ended", ""}, states[d.ID], "and the outcome")
	assert.Equal(t, []string{"ended"}, states[before.ID], "what was known before is told from there on")
}

func TestEventsNameWhatTheyAreAboutAndHoldNoTextOfACapsuleBeyondTheDetail(t *testing.T) {
	t.Parallel()
	b := book(t)
	long := ""
	for range 1000 {
		long += "detail\n"
	}
	got := follow(t, b, func() {
		root, _ := begin(t, b, nil)
		run(t, b, root.ID)
		child, _ := begin(t, b, &root)
		finish(t, b, child.ID, long)
	})
	outcomes := 0
	for _, e := range got {
		assert.True(t, id.Session.Valid(e.GetSessionId()), e)
		assert.True(t, id.Session.Valid(e.GetRootSessionId()), e)
		assert.NotNil(t, e.GetTime())
		assert.NotContains(t, fmt.Sprint(e), "secret")
		assert.LessOrEqual(t, len(e.GetDetail()), outcome.MaxDetailBytes+len(" […]"))
		if e.GetKind() != operatorv1.EventKind_EVENT_KIND_SESSION {
			assert.True(t, id.Delegation.Valid(e.GetDelegationId()), "an event of a delegation names it: %v", e)
			assert.True(t, id.Session.Valid(e.GetParentSessionId()), e)
		}
		if o := e.GetOutcome(); o != nil {
			outcomes++
			assert.Equal(t, e.GetDelegationId(), o.GetDelegationId())
			assert.Equal(t, "error", o.GetStatus())
			assert.Equal(t, "text", o.GetResultState())
		}
	}
	assert.Equal(t, 1, outcomes)
}

func TestNoEventIsLostWhenMoreChangesThanAWatcherTakesInAtOnce(t *testing.T) {
	t.Parallel()
	b := book(t)
	ring := events.New(start)
	f := events.NewFollower(ring, b)
	const many = 1100 // more rows than one change names
	began := map[string]int{}
	made := make(chan error, many)
	for range many { // at once: they share commits
		s := ledger.Session{ID: id.Session.New(), Capsule: "c", Version: "1.0.0"}
		began[s.ID] = 0
		go func() {
			_, err := b.Begin(t.Context(), ledger.Intent{Session: s}, nil)
			made <- err
		}()
	}
	for range many {
		require.NoError(t, <-made)
	}
	// Nobody has read a change so far: all of them come as one.
	ctx, stop := context.WithCancel(t.Context())
	stop()
	f.Run(ctx)
	for reader := ring.From(0); ; {
		batch, _, _, _ := reader.Read()
		if len(batch) == 0 {
			break
		}
		for _, e := range batch {
			began[e.GetSessionId()]++
		}
	}
	for session, told := range began {
		require.Equal(t, 1, told, session)
	}
}
