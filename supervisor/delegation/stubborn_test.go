package delegation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/capsule/manifest"
	"rookery/capsule/outcome"
	"rookery/capsule/pack"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
	"rookery/supervisor/store"
)

// gated is a ledger whose calls a test can hold up or fail on their way in.
type gated struct {
	ledger.Ledger
	admitted, marking func()
	refuse            func() error
}

func (g *gated) Begin(ctx context.Context, i ledger.Intent, admit func(ledger.View) error) (*ledger.Delegation, error) {
	return g.Ledger.Begin(ctx, i, func(v ledger.View) error {
		if err := admit(v); err != nil {
			return err
		}
		if g.admitted != nil {
			g.admitted()
		}
		return nil
	})
}

func (g *gated) MarkEnding(ctx context.Context, session string, cause func(int, ledger.Session) ledger.Cause) ([]ledger.Session, error) {
	if g.marking != nil {
		g.marking()
	}
	return g.Ledger.MarkEnding(ctx, session, cause)
}

func (g *gated) Finish(ctx context.Context, session string, decide func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation)) error {
	if g.refuse != nil {
		if err := g.refuse(); err != nil {
			return err
		}
	}
	return g.Ledger.Finish(ctx, session, decide)
}

// grown is a tree over the gated ledger. No session of it can start: its one capsule has no module.
func grown(t *testing.T, g *gated) (*Tree, Root) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	s, _, err := store.Open(filepath.Join(dir, "state.db"), time.Second)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	g.Ledger, err = ledger.Open(t.Context(), s)
	require.NoError(t, err)
	tree := New(t.Context(), Config{
		Ledger: g, State: layout.State{Root: dir}, Limits: Limits{MaxDepth: 1, MaxChildren: 1, MaxLive: 8, MaxPerRoot: 8, RatePerMinute: 60, Burst: 8},
	})
	m := &manifest.Manifest{Name: "c", Version: "1.0.0"}
	return tree, Root{ID: "top", Entry: &catalog.Entry{Package: &pack.Package{Path: filepath.Join(dir, "none"), Manifest: m}}}
}

func TestARootThatWasAdmittedBeforeTheDrainIsEndedByIt(t *testing.T) {
	t.Parallel()
	admitted, marking := make(chan struct{}), make(chan struct{})
	g := &gated{admitted: func() { close(admitted); <-marking }, marking: func() { close(marking) }}
	tree, root := grown(t, g)
	started := make(chan string, 1)
	go func() {
		id, err := tree.StartRoot(context.WithoutCancel(t.Context()), root)
		assert.NoError(t, err)
		started <- id
	}()
	<-admitted
	require.Empty(t, g.Sessions(ledger.Filter{}), "the intent is not committed yet")
	require.NoError(t, tree.Drain(t.Context(), time.Second))
	require.NoError(t, tree.Close())
	row, ok := g.Session(<-started)
	require.True(t, ok)
	require.Equal(t, ledger.Ended, row.State)
	require.NotNil(t, row.Cause)
	assert.Equal(t, ledger.CauseDrain, row.Cause.Kind)
}

func TestAnEndThatTheDiskRefusesIsCommittedWhenItTakesItAgain(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	g := &gated{refuse: func() error {
		if tries.Add(1) <= 2 {
			return errors.New("no space left on device")
		}
		return nil
	}}
	tree, root := grown(t, g)
	id, err := tree.StartRoot(t.Context(), root)
	require.NoError(t, err)
	row, err := g.WaitEnded(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, outcome.Crashed, row.Status)
	assert.Equal(t, int32(3), tries.Load())
	require.NoError(t, tree.Close())
}

func TestASupervisorThatStopsDoesNotWaitForADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	g := &gated{refuse: func() error { return errors.New("no space left on device") }}
	tree, root := grown(t, g)
	id, err := tree.StartRoot(t.Context(), root)
	require.NoError(t, err)
	require.ErrorContains(t, tree.Drain(t.Context(), time.Second), "session "+id+": its process is gone, and its end could not be committed")
	require.NoError(t, tree.Close())
	row, _ := g.Session(id)
	assert.Equal(t, ledger.Ending, row.State, "the next supervisor concludes it")
}

func TestACauseCountsOnlyWhenItWasDurableBeforeTheExit(t *testing.T) {
	t.Parallel()
	cause := ledger.Cause{Kind: ledger.CauseOperator, Detail: "ended by an operator", By: "operator", Tell: true}
	for name, c := range map[string]struct {
		exitFirst bool
		status    outcome.Status
		detail    string
	}{
		"before it": {false, outcome.Terminated, "ended by an operator"},
		"after it":  {true, outcome.Crashed, "could not start: no native code"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &gated{}
			tree, root := grown(t, g)
			ids := mint()
			row := ledger.Session{ID: ids.session, Capsule: "c", Version: "1.0.0", RecordsDir: tree.state.Records("c", ids.session)}
			_, err := g.Begin(t.Context(), ledger.Intent{Session: row}, func(ledger.View) error { return nil })
			require.NoError(t, err)
			r := tree.newRun(row, nil, root.Entry, "", nil)
			tree.add(r)
			if c.exitFirst {
				close(r.launched) // without a process: there is nothing left to end
			}
			_, err = tree.mark(row.ID, cause)
			require.NoError(t, err)
			if !c.exitFirst {
				close(r.launched)
			}
			r.settle(ending{failure: "no native code"})
			ended, _ := g.Session(row.ID)
			assert.Equal(t, c.status, ended.Status)
			assert.Equal(t, c.detail, ended.Detail)
			tree.remove(r)
			r.cancel()
			require.NoError(t, tree.Close())
		})
	}
}
