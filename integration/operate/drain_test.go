package operate_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

const stopped = syscall.SIGSTOP

// chain brings up a tree three deep and returns it, the root's child first.
func chain(t *testing.T, opts ...rig.Option) (*rig.Host, *operatorv1.Session, []*operatorv1.Delegation) {
	t.Helper()
	third := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep"}}}
	second := rig.Plan{Delegations: []rig.Make{{Capsule: "parent", Task: third.Text()}}}
	first := rig.Plan{Delegations: []rig.Make{{Capsule: "parent", Task: second.Text()}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: first.Text()}}}, opts...)
	h.RunningChild("sleep")
	all := h.Delegations()
	require.Len(t, all, 3)
	slices.SortFunc(all, func(a, b *operatorv1.Delegation) int { return int(a.GetDepth()) - int(b.GetDepth()) })
	return h, h.RootSession("parent"), all
}

func TestAStopEndsEveryTreeChildrenFirst(t *testing.T) {
	t.Parallel()
	h, root, all := chain(t, rig.Flags("--stop-timeout", "3s"))
	pids := h.Workers()
	require.Len(t, pids, 4)
	asked := time.Now()
	h.Signal(syscall.SIGTERM)
	assert.Equal(t, 0, h.Exit(rig.Soon))
	assert.Less(t, time.Since(asked), 5*time.Second)
	for _, pid := range pids {
		assert.True(t, rig.Gone(pid))
	}
	h.NothingLeft()
	assert.Contains(t, h.Stdout(), "== parent "+root.GetSessionId()+" terminated\ndetail: the supervisor was stopped\n")

	// The next supervisor begins anew and still knows.
	h.Again()
	ended := h.Session(root.GetSessionId())
	assert.Equal(t, "terminated", ended.GetStatus())
	assert.Equal(t, "the supervisor was stopped", ended.GetDetail())
	assert.NotEqual(t, root.GetSessionId(), h.LatestBegun("parent").GetSessionId(), "after a clean stop roots start anew")
	above := ended.GetEndedAt().AsTime()
	for _, d := range all {
		d = h.Delegation(d.GetDelegationId())
		assert.Equal(t, "terminated", d.GetStatus())
		assert.Equal(t, "ended with its parent", d.GetDetail())
		assert.Equal(t, "supervisor", d.GetKilledBy())
		assert.Equal(t, d.GetDetail(), h.Completion(d).Detail)
		assert.False(t, d.GetEndedAt().AsTime().After(above), "children end before their parents")
		above = d.GetEndedAt().AsTime()
	}
}

func TestAWorkerThatDoesNotAnswerDoesNotHoldTheStop(t *testing.T) {
	t.Parallel()
	h, root, all := chain(t, rig.Flags("--stop-timeout", "2s"))
	require.NoError(t, rig.Send(int(all[2].GetPid()), stopped))
	require.NoError(t, rig.Send(int(root.GetPid()), stopped))
	asked := time.Now()
	h.Signal(syscall.SIGTERM)
	assert.Equal(t, 0, h.Exit(rig.Soon))
	assert.Less(t, time.Since(asked), 4*time.Second, "the time budget and two seconds")
	h.NothingLeft()
	assert.Equal(t, "ended with its parent", h.Completion(all[2]).Detail)
	assert.Equal(t, "the supervisor was stopped", h.End(root).Detail)
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	h, root, all := chain(t, rig.Flags("--stop-timeout", "60s"))
	for _, d := range all {
		require.NoError(t, rig.Send(int(d.GetPid()), stopped))
	}
	require.NoError(t, rig.Send(int(root.GetPid()), stopped))
	asked := time.Now()
	h.Signal(syscall.SIGINT)
	// Signals of one kind that come together are one signal: the other kind counts as well.
	h.Signal(syscall.SIGTERM)
	assert.Equal(t, 0, h.Exit(rig.Soon))
	assert.Less(t, time.Since(asked), 2*time.Second, "four stopped workers would take four seconds to be given up one by one")
	h.NothingLeft()
	h.EveryIntentHasItsRecord()
}

func TestAStopWhileWorkersStartLeavesNothingHalfStarted(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": 16, "max_live_capsules": 64, "spawn_burst": 100},
		Capsules: []rig.Root{{Name: "storm", Task: `{"capsule": "sleep", "count": 100}`}},
	})
	rig.Until(t, rig.Soon, "some have begun", func() bool { return len(h.Delegations()) >= 4 })
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
	h.EveryIntentHasItsRecord()
}

func TestAStopBeforeTheRootsHaveEndedIsNoSuccess(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch(), rig.Flags("--once"))
	h.RunningChild("sleep")
	h.Signal(syscall.SIGTERM)
	assert.Equal(t, 1, h.Exit(rig.Soon))
	assert.Contains(t, h.Stdout(), " terminated\ndetail: the supervisor was stopped\n")
	h.NothingLeft()
}

func TestASupervisorThatIsKilledWhileItStopsHasDecidedAlready(t *testing.T) {
	t.Parallel()
	h, root, all := chain(t, rig.Flags("--stop-timeout", "60s"))
	for _, pid := range h.Workers() {
		require.NoError(t, rig.Send(pid, stopped))
	}
	h.Signal(syscall.SIGTERM)
	rig.Until(t, rig.Soon, "the causes are committed", func() bool {
		return h.Session(root.GetSessionId()).GetState() == operatorv1.SessionState_SESSION_STATE_ENDING
	})
	h.Kill9()
	h.Again()
	ended := h.Session(root.GetSessionId())
	assert.Equal(t, "terminated", ended.GetStatus())
	assert.Equal(t, "the supervisor was stopped", ended.GetDetail())
	assert.Equal(t, "the supervisor was stopped", h.End(ended).Detail)
	for _, d := range all {
		d = h.Delegation(d.GetDelegationId())
		assert.Equal(t, "terminated", d.GetStatus())
		assert.Equal(t, "ended with its parent", d.GetDetail())
		assert.Equal(t, d.GetDetail(), h.Completion(d).Detail)
	}
}
