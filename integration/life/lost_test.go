package life_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/integration/rig"
)

func TestWorkersThatALostLedgerHasForgottenAreEndedAndRecorded(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep"}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}})
	child, parent := h.RunningChild("sleep"), h.RootSession("parent")
	forgotten := []int{int(child.GetPid()), int(parent.GetPid())}
	h.Kill9()
	for _, pid := range forgotten {
		require.True(t, rig.Alive(pid))
	}
	require.NoError(t, os.Remove(h.State.DB()))

	h.Again()
	for _, pid := range forgotten {
		assert.False(t, rig.Alive(pid), "process %d lives on, and nobody knows of it", pid)
	}
	rec := h.Completion(child)
	assert.Equal(t, outcome.Crashed, rec.Status)
	assert.Equal(t, outcome.Launcher, rec.ReportedBy)
	assert.Equal(t, "the supervisor lost its ledger; ended by the next one", rec.Detail)
	assert.Equal(t, rec.Detail, h.End(parent).Detail)
	for _, s := range h.Sessions() {
		assert.NotEqual(t, parent.GetSessionId(), s.GetSessionId(), "its row is gone")
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}
