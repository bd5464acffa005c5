package roots_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/failpoint"
	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
	"rookery/supervisor/records"
	"rookery/supervisor/store"
)

// past is what a month of a host has left: so many trees of a root and a child, one a day, the oldest first.
type past struct {
	t     *testing.T
	state layout.State
	trees [][2]string // session ids
}

// remember writes a month into the state folder of a host that has stopped.
func remember(t *testing.T, h *rig.Host) *past {
	t.Helper()
	p := &past{t: t, state: h.State}
	s, _, err := store.Open(h.State.DB(), time.Second)
	require.NoError(t, err)
	book, err := ledger.Open(t.Context(), s)
	require.NoError(t, err)
	for days := 30; days > 0; days-- {
		began := time.Now().Add(-time.Duration(days)*24*time.Hour - time.Hour)
		top := p.session(book, began, nil)
		child := p.session(book, began, &top)
		p.trees = append(p.trees, [2]string{top.ID, child.ID})
	}
	require.NoError(t, s.Close())
	return p
}

// session adds one session that ended an hour after it began.
func (p *past) session(book *ledger.Book, began time.Time, parent *ledger.Session) ledger.Session {
	p.t.Helper()
	s := ledger.Session{ID: id.Session.New(), Capsule: "old", Version: "0.1.0", StartedAt: began, RootID: "old"}
	s.RootSessionID, s.RecordsDir, s.Workdir, s.WorkdirOurs = s.ID, p.state.Records("old", s.ID), p.state.Work(s.ID), true
	in := ledger.Intent{}
	if parent != nil {
		s.RootID, s.SpawnedBy, s.RootSessionID, s.DelegationID, s.Depth = "", parent.ID, parent.ID, id.Delegation.New(), 1
		in.Delegation = &ledger.Delegation{
			ID: s.DelegationID, RequestID: id.Request.New(), ParentSessionID: parent.ID, RootSessionID: parent.ID, SessionID: s.ID, Capsule: "old",
			Version: "0.1.0", Depth: 1, StartedAt: began,
		}
	}
	in.Session = s
	_, err := book.Begin(p.t.Context(), in, nil)
	require.NoError(p.t, err)
	if parent != nil {
		p.finish(book, s, began)
		p.finish(book, *parent, began)
	}
	lineage, err := json.Marshal(records.Lineage{
		SessionID: s.ID, RootID: s.RootID, CapsuleName: "old", Version: "0.1.0", SpawnedBy: s.SpawnedBy, DelegationID: s.DelegationID,
		RootSessionID: s.RootSessionID, Depth: s.Depth, StartedAt: began,
	})
	require.NoError(p.t, err)
	for path, text := range map[string]string{
		p.state.Lineage("old", s.ID):                                       string(lineage),
		filepath.Join(p.state.Records("old", s.ID), layout.GuestStderrLog): "x\n",
		filepath.Join(p.state.Work(s.ID), "left.txt"):                      "x",
	} {
		require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(p.t, os.WriteFile(path, []byte(text), 0o600))
	}
	return s
}

func (p *past) finish(book *ledger.Book, s ledger.Session, began time.Time) {
	p.t.Helper()
	require.NoError(p.t, book.Finish(p.t.Context(), s.ID, func(_ ledger.Session, d *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		end := ledger.FinishedSession{Status: outcome.OK, EndedAt: began.Add(time.Hour)}
		if d == nil {
			return end, nil
		}
		return end, &ledger.FinishedDelegation{Status: outcome.OK, ReportedBy: string(outcome.Child)}
	}))
}

// onDisk counts what a session has left: its lineage, its records and its work folder.
func (p *past) onDisk(session string) int {
	n := 0
	for _, path := range []string{p.state.Lineage("old", session), p.state.Records("old", session), p.state.Work(session)} {
		if _, err := os.Lstat(path); err == nil {
			n++
		}
	}
	return n
}

// known are the sessions that the host lists.
func known(h *rig.Host) map[string]*operatorv1.Session {
	out := map[string]*operatorv1.Session{}
	for _, s := range h.Sessions() {
		out[s.GetSessionId()] = s
	}
	return out
}

// goes is how many go when seven days are kept: of 30 trees, the last of which ended a day ago, those that are seven days old or older.
const goes = 24

func TestAMonthIsPrunedAndWhatLivesIsNot(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "sleep"}}, Retention: map[string]any{"records": "7d"}})
	running(t, h, "sleep", 1)
	assert.Equal(t, 0, h.Stop())
	p := remember(t, h)

	said := h.CLI("prune", "--dry-run", "-o", "table")
	assert.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, "would remove 24 trees of 48 sessions, 0 modules, 0 databases: ")
	assert.Equal(t, goes, strings.Count(said.Stdout, "\ntree  ses_"), said.Stdout)
	for _, tree := range p.trees {
		assert.Equal(t, [2]int{3, 3}, [2]int{p.onDisk(tree[0]), p.onDisk(tree[1])})
	}
	h.Again()
	rig.Until(t, rig.Soon, "the host has pruned by itself", func() bool { return strings.Contains(h.Log(), `"retention: removed what is not kept any more"`) })
	living := running(t, h, "sleep", 2)
	listed := known(h)
	for i, tree := range p.trees {
		for _, session := range tree {
			if i < goes {
				assert.Zero(t, p.onDisk(session), "%d: %s", i, session)
				assert.NotContains(t, listed, session)
			} else {
				assert.Equal(t, 3, p.onDisk(session), "%d: %s", i, session)
				assert.Contains(t, listed, session)
			}
		}
	}
	assert.True(t, rig.Alive(int(living.GetPid())))
	var report operatorv1.PruneResponse
	said = h.CLI("prune", "-o", "json")
	assert.Equal(t, 0, said.Code, said.Stderr)
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &report))
	assert.Zero(t, report.GetTrees(), "nothing is left to remove")
	assert.Positive(t, report.GetKeptBytes())
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestTheOldestTreesGoWhenTheStateFolderIsTooLarge(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "sleep"}}, Retention: map[string]any{"records": "3650d", "max_bytes": "1Mi"}})
	// The native code that is in use takes more than that.
	assert.Equal(t, 0, h.Stop())
	p := remember(t, h)
	h.Again()
	rig.Until(t, rig.Soon, "the host says that it cannot keep the bound", func() bool { return strings.Contains(h.Log(), "what lives takes more than max_bytes") })
	listed := known(h)
	for _, tree := range p.trees {
		assert.Zero(t, p.onDisk(tree[0])+p.onDisk(tree[1]))
		assert.NotContains(t, listed, tree[0])
	}
	running(t, h, "sleep", 2)
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestADeathInTheMiddleOfAPruneLeavesNoHalfTree(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "silent-ok"}}})
	ended(t, h, "silent-ok")
	assert.Equal(t, 0, h.Stop())
	p := remember(t, h)
	prune := exec.Command(filepath.Join(rig.Failpoints(t), "supervisor"), "--state", h.State.Root, "prune")
	prune.Dir, prune.Env = h.Dir, []string{failpoint.Env + "=" + failpoint.Pruned + "=kill"}
	err := prune.Run()
	var killed *exec.ExitError
	require.ErrorAs(t, err, &killed)
	require.Equal(t, -1, killed.ExitCode(), "it was not killed")
	oldest := p.trees[0]
	require.Zero(t, p.onDisk(oldest[0]), "the root has left its place")
	require.Equal(t, 3, p.onDisk(oldest[1]), "its child has not")

	h.Again()
	listed := known(h) // from the first moment
	assert.NotContains(t, listed, oldest[0])
	assert.NotContains(t, listed, oldest[1])
	assert.Zero(t, p.onDisk(oldest[1]))
	rig.Until(t, rig.Soon, "the rest follows", func() bool { return len(known(h)) == 2*(len(p.trees)-goes)+2 })
	rig.Until(t, rig.Soon, "nothing waits to be removed", func() bool {
		left, err := os.ReadDir(h.State.Trash())
		return err == nil && len(left) == 0
	})
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestAPruneBesideASupervisorThatNobodyCanReachIsRefused(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "sleep"}}})
	require.NoError(t, os.Remove(h.State.OperatorSock()))
	said := h.CLI("prune")
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, "is running on it")
	assert.Equal(t, 0, h.Stop())
}
