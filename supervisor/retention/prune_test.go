package retention_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/supervisor/fleet"
	"rookery/supervisor/ledger"
	"rookery/supervisor/records"
	"rookery/supervisor/retention"
	"rookery/supervisor/store"
)

const day = 24 * time.Hour

// host is a state folder with a past.
type host struct {
	*ledger.Book
	t     *testing.T
	state layout.State
	now   time.Time
	roots map[string]bool // in the fleet
	used  map[string]bool
	// usedErr is why nobody knows what is used.
	usedErr error
}

func newHost(t *testing.T) *host {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	state, err := layout.Create(filepath.Join(dir, "s"))
	require.NoError(t, err)
	s, _, err := store.Open(state.DB(), time.Second)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	book, err := ledger.Open(t.Context(), s)
	require.NoError(t, err)
	return &host{Book: book, t: t, state: state, now: time.Now()}
}

func (h *host) pruner(policy fleet.Retention) *retention.Pruner {
	h.t.Helper()
	p, err := retention.New(retention.Config{
		State: h.state, Ledger: h.Book, Policy: policy, Grace: time.Hour, Root: func(id string) bool { return h.roots[id] },
		InUse: func() (map[string]bool, error) { return h.used, h.usedErr }, Now: func() time.Time { return h.now },
	})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { require.NoError(h.t, p.Close()) })
	return p
}

// prune applies a policy that must meet no fault.
func (h *host) prune(policy fleet.Retention) retention.Report {
	h.t.Helper()
	r, err := h.pruner(policy).Prune(h.t.Context(), false)
	require.NoError(h.t, err)
	require.Empty(h.t, r.Faults)
	return r
}

// begin begins a session with everything that one leaves; parent is empty for a root.
func (h *host) begin(capsule string, parent ledger.Session, days int, bytes int) ledger.Session {
	h.t.Helper()
	s := ledger.Session{ID: id.Session.New(), Capsule: capsule, Version: "1.0.0", StartedAt: h.now.Add(-time.Duration(days) * day)}
	s.RecordsDir, s.Workdir, s.WorkdirOurs = h.state.Records(capsule, s.ID), h.state.Work(s.ID), true
	in := ledger.Intent{}
	if parent.ID == "" {
		s.RootID, s.RootSessionID = capsule, s.ID
	} else {
		s.SpawnedBy, s.DelegationID, s.RootSessionID, s.Depth = parent.ID, id.Delegation.New(), parent.RootSessionID, parent.Depth+1
		in.Delegation = &ledger.Delegation{
			ID: s.DelegationID, RequestID: id.Request.New(), ParentSessionID: parent.ID, RootSessionID: s.RootSessionID, SessionID: s.ID,
			Capsule: capsule, Version: "1.0.0", Depth: s.Depth,
		}
	}
	in.Session = s
	_, err := h.Begin(h.t.Context(), in, nil)
	require.NoError(h.t, err)
	h.leave(s, bytes)
	return s
}

// leave makes the files of a session.
func (h *host) leave(s ledger.Session, bytes int) {
	h.t.Helper()
	lineage, err := json.Marshal(records.Lineage{
		SessionID: s.ID, CapsuleName: s.Capsule, SpawnedBy: s.SpawnedBy, DelegationID: s.DelegationID, RootSessionID: s.RootSessionID, Depth: s.Depth,
	})
	require.NoError(h.t, err)
	for path, content := range map[string][]byte{
		h.state.Lineage(s.Capsule, s.ID):                                                   lineage,
		filepath.Join(h.state.Records(s.Capsule, s.ID), layout.TraceFile):                  []byte("{}\n"),
		filepath.Join(h.state.Records(s.Capsule, s.ID), layout.ResultsDir, "result_x.txt"): make([]byte, bytes),
		filepath.Join(h.state.Work(s.ID), "deep", "file"):                                  []byte("x"),
	} {
		require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(h.t, os.WriteFile(path, content, 0o600))
	}
}

func (h *host) end(s ledger.Session, days int) {
	h.t.Helper()
	at := h.now.Add(-time.Duration(days) * day)
	require.NoError(h.t, h.Finish(h.t.Context(), s.ID, func(_ ledger.Session, d *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		end := ledger.FinishedSession{Status: outcome.OK, EndedAt: at}
		if d == nil {
			return end, nil
		}
		return end, &ledger.FinishedDelegation{Status: outcome.OK, Tell: true}
	}))
}

// tree is a root with two children, one beneath the other, which ended so many days ago.
func (h *host) tree(days int) []ledger.Session {
	h.t.Helper()
	top := h.begin("top", ledger.Session{}, days+1, 5000)
	child := h.begin("child", top, days+1, 100)
	grandchild := h.begin("grandchild", child, days+1, 100)
	h.end(grandchild, days+1)
	h.end(child, days)
	h.end(top, days)
	return []ledger.Session{top, child, grandchild}
}

// places are where a session leaves something.
func (h *host) places(s ledger.Session) []string {
	return []string{h.state.Lineage(s.Capsule, s.ID), h.state.Records(s.Capsule, s.ID), h.state.Work(s.ID)}
}

func (h *host) kept(s ledger.Session) {
	h.t.Helper()
	for _, path := range append(h.places(s), filepath.Join(h.state.Work(s.ID), "deep", "file")) {
		_, err := os.Lstat(path)
		assert.NoError(h.t, err)
	}
	_, ok := h.Session(s.ID)
	assert.True(h.t, ok, "the row of %s", s.ID)
}

func (h *host) gone(s ledger.Session) {
	h.t.Helper()
	for _, path := range h.places(s) {
		_, err := os.Lstat(path)
		assert.ErrorIs(h.t, err, os.ErrNotExist, path)
	}
	_, ok := h.Session(s.ID)
	assert.False(h.t, ok, "the row of %s", s.ID)
	_, ok = h.Delegation(s.DelegationID)
	assert.False(h.t, ok)
}

// emptyTrash checks that nothing waits to be removed.
func (h *host) emptyTrash() {
	h.t.Helper()
	left, err := os.ReadDir(h.state.Trash())
	require.NoError(h.t, err)
	assert.Empty(h.t, left)
}

func TestAMonthsTreesArePrunedByAge(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	trees := map[int][]ledger.Session{}
	for days := range 30 {
		trees[days] = h.tree(days)
	}
	living := h.begin("top", ledger.Session{}, 29, 10)
	old := h.begin("child", living, 29, 10)
	h.end(old, 28)

	dry, err := h.pruner(fleet.DefaultRetention).Prune(t.Context(), true)
	require.NoError(t, err)
	for _, tree := range trees {
		for _, s := range tree {
			h.kept(s)
		}
	}
	r := h.prune(fleet.DefaultRetention)
	assert.Equal(t, dry.Items, r.Items)
	assert.Equal(t, 22, r.Count(retention.Tree))
	assert.Equal(t, 66, r.Sessions())
	assert.Positive(t, r.Bytes)
	for i, item := range r.Items {
		assert.Equal(t, trees[29-i][0].ID, item.Name, "the oldest first")
		assert.Equal(t, "top", item.Capsule)
		assert.Equal(t, retention.ByAge, item.Reason)
	}
	for days, tree := range trees {
		for _, s := range tree {
			if days > 7 {
				h.gone(s)
			} else {
				h.kept(s)
			}
		}
	}
	h.kept(living)
	h.kept(old)
	h.emptyTrash()
	again := h.prune(fleet.DefaultRetention)
	assert.Empty(t, again.Items)
	assert.Equal(t, r.Kept, again.Kept)
}

func TestTheLatestSessionOfAFleetsRootStays(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.roots = map[string]bool{"top": true}
	first, latest := h.tree(30), h.tree(20)
	h.prune(fleet.DefaultRetention)
	for i := range first {
		h.gone(first[i])
		h.kept(latest[i])
	}
}

func TestTheOldestGoWhenThereIsTooMuch(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	first, second, third := h.tree(3), h.tree(2), h.tree(1)
	all := h.prune(fleet.DefaultRetention)
	require.Empty(t, all.Items)
	r := h.prune(fleet.Retention{Age: 7 * day, MaxBytes: all.Kept - 1})
	require.Len(t, r.Items, 1)
	assert.Equal(t, retention.BySize, r.Items[0].Reason)
	assert.Equal(t, all.Kept, r.Bytes+r.Kept)
	for i := range first {
		h.gone(first[i])
		h.kept(second[i])
		h.kept(third[i])
	}
}

func TestAFolderOfTheOperatorsIsNeverTouched(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	own := filepath.Join(h.state.Root, "..", "own")
	inWork := filepath.Join(h.state.Root, "work", "mine")
	for _, dir := range []string{own, inWork} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "precious"), []byte("x"), 0o600))
		require.NoError(t, os.Chtimes(dir, h.now.Add(-90*day), h.now.Add(-90*day)))
	}
	for _, dir := range []string{own, inWork} {
		s := ledger.Session{ID: id.Session.New(), RootID: "r", Capsule: "top", Version: "1.0.0", Workdir: dir}
		_, err := h.Begin(t.Context(), ledger.Intent{Session: s}, nil)
		require.NoError(t, err)
		h.end(s, 90)
	}
	s := h.tree(90)[0]
	// Also where a capsule's own links lead.
	require.NoError(t, os.Symlink(own, filepath.Join(h.state.Work(s.ID), "way-out")))
	require.NoError(t, os.Symlink(own, filepath.Join(h.state.Records(s.Capsule, s.ID), "way-out")))
	r := h.prune(fleet.DefaultRetention)
	assert.Equal(t, 3, r.Count(retention.Tree))
	h.gone(s)
	for _, dir := range []string{own, inWork} {
		_, err := os.Stat(filepath.Join(dir, "precious"))
		require.NoError(t, err)
	}
}

func TestWhatTheLedgerDoesNotKnowGoesByItsOwnAge(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	unknown := func(root string, age time.Duration) ledger.Session {
		s := ledger.Session{ID: id.Session.New(), Capsule: "lost"}
		s.RootSessionID = root
		if root == "" {
			s.RootSessionID = s.ID
		}
		h.leave(s, 10)
		for _, top := range h.places(s) {
			require.NoError(t, filepath.Walk(top, func(path string, _ os.FileInfo, err error) error {
				require.NoError(t, err)
				return os.Chtimes(path, h.now.Add(-age), h.now.Add(-age))
			}))
		}
		return s
	}
	old, young := unknown("", 8*day), unknown("", 6*day)
	living := h.begin("top", ledger.Session{}, 9, 10)
	beneath := unknown(living.ID, 8*day)
	halfOld := unknown(young.ID, 8*day)
	h.prune(fleet.DefaultRetention)
	h.gone(old)
	for _, s := range []ledger.Session{young, beneath, halfOld} {
		for _, path := range h.places(s) {
			_, err := os.Lstat(path)
			require.NoError(t, err)
		}
	}
	// Too much or not: a worker of theirs may live as long as the grace says.
	fresh := unknown("", time.Minute*59)
	h.prune(fleet.Retention{Age: 7 * day, MaxBytes: 0})
	h.gone(young)
	_, err := os.Lstat(h.state.Records(fresh.Capsule, fresh.ID))
	require.NoError(t, err)
}

func TestNativeCodeThatNothingUsesAndDatabasesThatWereSetAsideGo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	age := func(path string, days int) {
		at := h.now.Add(-time.Duration(days) * day)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	for key, days := range map[string]int{"used": 30, "old": 30, "young": 1} {
		age(h.state.Module(key), days)
		require.NoError(t, h.PutNativeDigest(t.Context(), key, "d"))
	}
	age(h.state.DB()+".corrupt-1700000000", 30)
	age(h.state.DB()+".corrupt-1700000000-2", 1)
	age(filepath.Join(h.state.Root, "notes.txt"), 30)
	h.used = map[string]bool{"used.cwasm": true}
	h.usedErr = errors.New("a store cannot be read")
	r, err := h.pruner(fleet.DefaultRetention).Prune(t.Context(), false)
	require.NoError(t, err)
	require.Len(t, r.Faults, 1, "it is said")
	assert.Zero(t, r.Count(retention.Module), "and then all of it may be in use")
	assert.Equal(t, 1, r.Count(retention.Database))
	h.usedErr = nil
	r = h.prune(fleet.DefaultRetention)
	assert.Equal(t, 1, r.Count(retention.Module))
	assert.Equal(t, []string{"used", "young"}, h.NativeKeys())
	for path, there := range map[string]bool{
		h.state.Module("used"): true, h.state.Module("old"): false, h.state.Module("young"): true,
		h.state.DB() + ".corrupt-1700000000": false, h.state.DB() + ".corrupt-1700000000-2": true, h.state.DB(): true,
		filepath.Join(h.state.Root, "notes.txt"): true,
	} {
		_, err := os.Lstat(path)
		assert.Equal(t, there, err == nil, path)
	}
}

func TestARemovalThatWasCutOffIsFinished(t *testing.T) {
	t.Parallel()
	for cut := range 6 {
		t.Run(fmt.Sprint("after step ", cut), func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			tree, other := h.tree(30), h.tree(1)
			var order []map[string]any
			for _, s := range tree {
				order = append(order, map[string]any{"session_id": s.ID, "capsules": []string{s.Capsule}})
			}
			text, err := json.Marshal(order)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(h.state.Trash(), tree[0].ID+".order"), text, 0o600))
			// So many places were emptied before the death.
			var all []string
			for _, s := range tree {
				all = append(all, h.places(s)...)
			}
			for i, path := range all[:cut] {
				require.NoError(t, os.Rename(path, filepath.Join(h.state.Trash(), fmt.Sprint("x", i))))
			}
			require.NoError(t, h.pruner(fleet.DefaultRetention).Resume(t.Context()))
			for i := range tree {
				h.gone(tree[i])
				h.kept(other[i])
			}
			h.emptyTrash()
		})
	}
}

func TestAnOrderThatNamesOtherThingsIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	tree := h.tree(30)
	living := h.begin("top", ledger.Session{}, 1, 1)
	for name, order := range map[string]string{
		"no session":  `[{"session_id":"../records","capsules":["top"]}]`,
		"no capsule":  fmt.Sprintf(`[{"session_id":%q,"capsules":["../../own"]}]`, tree[0].ID),
		"a way up":    fmt.Sprintf(`[{"session_id":%q,"capsules":[".."]}]`, tree[0].ID),
		"not a list":  `{}`,
		"not JSON":    `[`,
		"a live tree": "",
	} {
		path := filepath.Join(h.state.Trash(), tree[0].ID+".order")
		if order == "" {
			order = fmt.Sprintf(`[{"session_id":%q,"capsules":["top"]}]`, living.ID)
		}
		require.NoError(t, os.WriteFile(path, []byte(order), 0o600))
		require.Error(t, h.pruner(fleet.DefaultRetention).Resume(t.Context()), name)
	}
	for _, s := range append(tree, living) {
		h.kept(s)
	}
}

func TestAPruneEndsBetweenTwoTrees(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.tree(30)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.pruner(fleet.DefaultRetention).Prune(ctx, false)
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, h.Sessions(ledger.Filter{}), 3)
}

func TestAFolderThatGoesDeepIsMeasuredAndRemoved(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	s := h.tree(30)[0]
	deep := filepath.Join(h.state.Work(s.ID), strings.Repeat("d/", 1000))
	require.NoError(t, os.MkdirAll(deep, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(deep, "f"), make([]byte, 1<<20), 0o600))
	r := h.prune(fleet.DefaultRetention)
	assert.Greater(t, r.Bytes, int64(1<<20))
	h.gone(s)
	h.emptyTrash()
}
