package life_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
	murmur "rookery/sdk/go"
)

// deaths are what can happen to a child's process from outside.
var deaths = []struct {
	name     string
	signal   syscall.Signal
	deadline float64
	status   murmur.Status
	detail   string // a prefix
}{
	{"killed", syscall.SIGKILL, 0, murmur.StatusCrashed, "signal: killed"},
	{"a segmentation violation", syscall.SIGSEGV, 0, murmur.StatusCrashed, "exit status 2: SIGSEGV: segmentation violation"},
	{"aborted", syscall.SIGABRT, 0, murmur.StatusCrashed, "exit status 2: SIGABRT: abort"},
	{"a bus error", syscall.SIGBUS, 0, murmur.StatusCrashed, "exit status 2: SIGBUS: bus error"},
	{"asked to terminate by a stranger", syscall.SIGTERM, 0, murmur.StatusCrashed, "signal: terminated"},
	{"stopped until the delegation's deadline", syscall.SIGSTOP, 3, murmur.StatusTerminated, "delegation deadline 3s"},
}

func TestWhateverHappensToAProcessTheParentIsToldOnceAndAlike(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Await: "any"}
	for _, d := range deaths {
		plan.Delegations = append(plan.Delegations, rig.Make{Capsule: "sleep", DeadlineSecs: d.deadline})
	}
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": len(deaths)},
		Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}},
	})
	running := allRunning(t, h, len(deaths))
	for i, d := range deaths {
		require.NoError(t, rig.Send(int(running[i].GetPid()), d.signal), d.name)
	}
	parent := h.RootEnded("parent", rig.Soon)
	told := h.Told(parent)
	outcomes := told.Outcomes()
	for i, d := range deaths {
		t.Run(d.name, func(t *testing.T) {
			id := told.Delegations[i].Started.DelegationID
			require.Equal(t, running[i].GetDelegationId(), id, "delegations are listed in the order they were made")
			require.Len(t, outcomes[id], 1, "how often the parent was told")
			assert.Equal(t, d.status, outcomes[id][0].Status)
			assert.True(t, strings.HasPrefix(outcomes[id][0].Detail, d.detail), outcomes[id][0].Detail)
			alike(t, h, parent, outcomes[id][0])
			assert.Equal(t, "launcher", h.Delegation(id).GetReportedBy())
			assert.True(t, rig.Gone(int(running[i].GetPid())))
		})
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

// allRunning waits until so many delegations run and returns them in the order they were made.
func allRunning(t *testing.T, h *rig.Host, n int) []*operatorv1.Delegation {
	t.Helper()
	var running []*operatorv1.Delegation
	rig.Until(t, rig.Soon, "all children run", func() bool {
		running = slices.DeleteFunc(h.Delegations(), func(d *operatorv1.Delegation) bool {
			return d.GetState() != operatorv1.DelegationState_DELEGATION_STATE_RUNNING
		})
		return len(running) == n
	})
	return running
}

func TestACrashTellsTheLastLinesOfTheGuest(t *testing.T) {
	t.Parallel()
	store := rig.Store(t, rig.Package{Name: "employer", Module: rig.Misbehave + "/parent", Allow: []string{"complain"}})
	h := rig.Up(t, rig.Fleet{
		Store:    []string{store, rig.Path(rig.Own)},
		Capsules: []rig.Root{{Name: "employer", Task: rig.Plan{Delegations: []rig.Make{{Capsule: "complain"}}}.Text()}},
	})
	child := h.RunningChild("complain")
	rig.Until(t, rig.Soon, "the child has complained", func() bool { return strings.Count(h.GuestStderr(child.GetRecordsDir()), "\n") == 2 })
	require.NoError(t, rig.Send(int(child.GetPid()), syscall.SIGKILL))
	parent := h.RootEnded("employer", rig.Soon)
	outcomes := h.Told(parent).Outcomes()[child.GetDelegationId()]
	require.Len(t, outcomes, 1)
	assert.Equal(t, "signal: killed\nopened the valve\nthe valve is stuck", outcomes[0].Detail)
	alike(t, h, parent, outcomes[0])
}

func TestADeathIsOnRecordWithinASecond(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	for range 3 {
		child := h.RunningChild("sleep")
		died := time.Now()
		require.NoError(t, rig.Send(int(child.GetPid()), syscall.SIGKILL))
		ended := h.Ended(child.GetDelegationId(), rig.Soon)
		assert.WithinDuration(t, died, ended.GetEndedAt().AsTime(), time.Second)
		recorded(t, h, h.Acknowledged(child.GetDelegationId()))
	}
}

func TestAParentThatDiesTakesItsChildrenWithIt(t *testing.T) {
	t.Parallel()
	inner := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep", Count: 2}}}
	outer := rig.Plan{Delegations: []rig.Make{{Capsule: "parent", Task: inner.Text()}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: outer.Text()}}})
	allRunning(t, h, 3)
	middle := h.RunningChild("parent")
	require.NoError(t, rig.Send(int(middle.GetPid()), syscall.SIGKILL))
	root := h.RootEnded("parent", rig.Soon)
	told := h.Told(root).Outcomes()[middle.GetDelegationId()]
	require.Len(t, told, 1)
	assert.Equal(t, murmur.StatusCrashed, told[0].Status)
	alike(t, h, root, told[0])
	for _, d := range h.Delegations() {
		if d.GetDelegationId() == middle.GetDelegationId() {
			continue
		}
		d = h.Ended(d.GetDelegationId(), rig.Soon)
		recorded(t, h, d)
		assert.Equal(t, "terminated", d.GetStatus())
		assert.Equal(t, "ended with its parent", d.GetDetail())
		assert.False(t, d.GetDelivered(), "there is nobody to tell")
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestChildrenThatATaskLeavesEndBeforeIt(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep", Count: 3}}, Await: "none"}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}})
	root := h.RootEnded("parent", rig.Soon)
	assert.Equal(t, "ok", root.GetStatus(), root.GetDetail())
	all := h.Delegations()
	require.Len(t, all, 3)
	for _, d := range all {
		recorded(t, h, d)
		assert.Equal(t, "terminated", d.GetStatus())
		assert.Equal(t, "ended with the delegating task", d.GetDetail())
		assert.False(t, d.GetEndedAt().AsTime().After(root.GetEndedAt().AsTime()))
	}
}
