package life_test

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func TestTheNextSupervisorConcludesWhateverPointItsWorkersWereAt(t *testing.T) {
	t.Parallel()
	marks := rig.Dir(t)
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": len(points), "max_live_capsules": 32},
		Capsules: []rig.Root{{Name: "parent", Task: everyPoint().Text()}},
	}, rig.Programs(rig.Failpoints(t)), rig.Env(armed(func(point string) string { return "pause:" + filepath.Join(marks, point) })))
	var pids []int
	for _, p := range points {
		rig.Until(t, rig.Soon, "a worker stands at "+p.point, func() bool {
			text, err := os.ReadFile(filepath.Join(marks, p.point+".hit"))
			pid, bad := strconv.Atoi(string(text))
			if err != nil || bad != nil {
				return false
			}
			pids = append(pids, pid)
			return true
		})
	}
	parent := h.RootSession("parent")
	h.Kill9()
	for _, pid := range append(pids, int(parent.GetPid())) {
		assert.True(t, rig.Alive(pid), "workers outlive their supervisor")
	}

	h.Again()
	for _, pid := range append(pids, int(parent.GetPid())) {
		assert.False(t, rig.Alive(pid), "process %d of the dead supervisor lives", pid)
	}
	ended := h.Session(parent.GetSessionId())
	assert.Equal(t, "terminated", ended.GetStatus())
	assert.Equal(t, "the supervisor died; ended by the next one", ended.GetDetail())
	assert.Equal(t, outcome.End{SessionID: ended.GetSessionId(), TaskID: h.End(ended).TaskID, Status: outcome.Terminated, Detail: ended.GetDetail(),
		DurationMS: h.End(ended).DurationMS}, h.End(ended))
	seen := 0
	for _, d := range h.Delegations() {
		if d.GetParentSessionId() != parent.GetSessionId() {
			continue // of the parent that the new supervisor has started
		}
		p := points[seen]
		require.Equal(t, p.capsule, d.GetCapsule())
		seen++
		recorded(t, h, d)
		if p.before {
			assert.Equal(t, "terminated", d.GetStatus(), p.point)
			assert.Equal(t, "ended with its parent", d.GetDetail(), p.point)
		} else {
			assert.Equal(t, string(p.status), d.GetStatus(), p.point)
			assert.Equal(t, p.detail, d.GetDetail(), p.point)
		}
		assert.False(t, d.GetDelivered(), "the parent is gone")
	}
	assert.Equal(t, len(points), seen)
	// The new supervisor does its work as if nothing had been.
	assert.Len(t, h.Told(h.LatestEnded("parent", rig.Soon)).Outcomes(), len(points))
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestSupervisorsThatAreKilledAgainAndAgainLoseNothing(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": 6, "spawn_rate": "1000/s", "spawn_burst": 1000, "max_live_capsules": 32},
		Capsules: []rig.Root{{Name: "storm", Task: `{"capsule": "nap", "count": 1000}`}},
	})
	known := map[string]bool{}
	for round := range 4 {
		rig.Until(t, rig.Soon, "the storm has grown", func() bool { return len(h.Delegations()) >= len(known)+5+7*round })
		for _, d := range h.Delegations() {
			known[d.GetDelegationId()] = true
		}
		left := h.Workers()
		require.NotEmpty(t, left)
		h.Kill9()
		h.Again()
		for _, pid := range left {
			assert.False(t, rig.Alive(pid), "process %d of the dead supervisor lives", pid)
		}
		now := map[string]*operatorv1.Delegation{}
		for _, d := range h.Delegations() {
			now[d.GetDelegationId()] = d
		}
		for id := range known {
			require.NotNil(t, now[id], "the ledger has lost %s", id)
			recorded(t, h, now[id])
		}
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
	h.EveryIntentHasItsRecord()
}

func TestWorkersWithoutASupervisorEndThemselvesLeafFirst(t *testing.T) {
	t.Parallel()
	inner := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep"}}}
	outer := rig.Plan{Delegations: []rig.Make{{Capsule: "parent", Task: inner.Text()}}}
	h := rig.Up(t, rig.Fleet{OrphanTimeout: "2s", Capsules: []rig.Root{{Name: "parent", Task: outer.Text()}}})
	leaf := allRunning(t, h, 2)[1]
	middle := h.RunningChild("parent")
	root := h.RootSession("parent")
	require.Equal(t, "sleep", leaf.GetCapsule())
	h.Kill9()
	killed := time.Now()
	rig.Until(t, rig.Soon, "the orphans have ended", func() bool {
		// Nobody waits for them here but the init of this machine.
		return !rig.Alive(int(leaf.GetPid())) && !rig.Alive(int(middle.GetPid())) && !rig.Alive(int(root.GetPid()))
	})
	// By their own clocks: on a busy machine, two ends can come between two looks at them.
	ends := []time.Time{sessionEnd(t, h, leaf.GetRecordsDir()), sessionEnd(t, h, middle.GetRecordsDir()), sessionEnd(t, h, root.GetRecordsDir())}
	assert.GreaterOrEqual(t, ends[0].Sub(killed), 1900*time.Millisecond, "they wait for a supervisor")
	assert.False(t, ends[1].Before(ends[0]), "the leaf first")
	assert.False(t, ends[2].Before(ends[1]), "the root last")
	for _, d := range []*operatorv1.Delegation{leaf, middle} {
		rec := h.Completion(d)
		assert.Equal(t, outcome.Error, rec.Status)
		assert.Equal(t, "no supervisor for 2s", rec.Detail)
	}
	assert.Equal(t, "no supervisor for 2s", h.End(root).Detail)

	h.Again()
	for _, d := range []*operatorv1.Delegation{leaf, middle} {
		d = h.Delegation(d.GetDelegationId())
		recorded(t, h, d)
		assert.Equal(t, "error", d.GetStatus(), "what they wrote of themselves stands")
		assert.Equal(t, "no supervisor for 2s", d.GetDetail())
	}
	assert.Equal(t, "error", h.Session(root.GetSessionId()).GetStatus())
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

// sessionEnd is when a worker wrote the last line of its trace.
func sessionEnd(t *testing.T, h *rig.Host, recordsDir string) time.Time {
	t.Helper()
	events := h.Trace(recordsDir)
	require.NotEmpty(t, events)
	last := events[len(events)-1]
	require.Equal(t, "session_end", last["event_type"])
	at, ok := last["timestamp"].(float64)
	require.True(t, ok, "%v", last)
	return time.UnixMilli(int64(at))
}

func TestAChildThatDiesWhileNoSupervisorRunsIsConcluded(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	dead := allRunning(t, h, 2)[0]
	h.Kill9()
	require.NoError(t, rig.Send(int(dead.GetPid()), syscall.SIGKILL))
	rig.Until(t, rig.Soon, "the child is dead", func() bool { return !rig.Alive(int(dead.GetPid())) })
	h.Again()
	d := h.Delegation(dead.GetDelegationId())
	recorded(t, h, d)
	assert.Equal(t, "crashed", d.GetStatus(), d.GetDetail())
	assert.Equal(t, "exit status unknown: the process ended while no supervisor ran", d.GetDetail())
}

func TestTheNextSupervisorEndsAGrandchildWhoseParentWasConcluded(t *testing.T) {
	t.Parallel()
	inner := rig.Plan{Delegations: []rig.Make{{Capsule: "spin"}}}
	// The root stays, waiting for a child of its own.
	outer := rig.Plan{Delegations: []rig.Make{{Capsule: "parent", Task: inner.Text()}, {Capsule: "sleep"}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: outer.Text()}}})
	middle := h.RunningChild("parent")
	var leaf *operatorv1.Delegation
	for _, d := range allRunning(t, h, 3) {
		if d.GetParentSessionId() == middle.GetSessionId() {
			leaf = d
		}
	}
	require.NotNil(t, leaf)
	// A leaf that spins is trapped half a second after it was asked to end. (One that is stopped is of no use here: the kernel
	// sends SIGHUP to it as soon as its supervisor is gone.)
	require.NoError(t, rig.Send(int(middle.GetPid()), syscall.SIGKILL))
	h.Ended(middle.GetDelegationId(), rig.Soon)
	h.Kill9()
	require.True(t, rig.Alive(int(leaf.GetPid())))
	h.Again()
	assert.False(t, rig.Alive(int(leaf.GetPid())))
	recorded(t, h, h.Delegation(middle.GetDelegationId()))
	d := h.Delegation(leaf.GetDelegationId())
	recorded(t, h, d)
	assert.Equal(t, "terminated", d.GetStatus(), d.GetDetail())
	assert.Equal(t, "ended with its parent", d.GetDetail(), "the cause that the dead supervisor committed")
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}
