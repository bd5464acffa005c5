package life_test

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

func TestAWorkerThatIsStoppedOutlivesItsSupervisor(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep"}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}})
	child := h.RunningChild("sleep")
	pid := int(child.GetPid())
	require.NoError(t, rig.Send(pid, syscall.SIGSTOP))
	rig.Until(t, rig.Soon, "the worker is stopped", func() bool { return rig.Stopped(pid) })
	h.Kill9()
	// The kernel wakes it with a hangup: it goes on, and does not end of it.
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	rig.Until(t, rig.Soon, "the worker answers at its door", func() bool {
		answer, err := client.Get(child.GetUrl() + "/.well-known/agent-card.json")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	h.Again()
	assert.False(t, rig.Alive(pid), "the next supervisor ends it")
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}
