package operate_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

func TestTwoSupervisorsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	one, two := rig.Up(t, watch()), rig.Up(t, watch())
	mine, theirs := one.RunningChild("sleep"), two.RunningChild("sleep")
	assert.NotContains(t, one.CLI("delegations", "--all").Stdout, theirs.GetDelegationId())
	assert.NotContains(t, one.CLI("ps", "--all").Stdout, theirs.GetParentSessionId())
	said := one.CLI("kill", theirs.GetDelegationId())
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, "there is no delegation "+theirs.GetDelegationId())

	require.Equal(t, 0, one.Stop())
	one.NothingLeft()
	assert.True(t, rig.Gone(int(mine.GetPid())))
	assert.True(t, rig.Alive(int(theirs.GetPid())))
	assert.Equal(t, 0, two.CLI("ps").Code)
}

func TestASecondSupervisorOnTheSameStateIsRefused(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	child := h.RunningChild("sleep")
	said := h.CLI("up", "-f", h.FleetFile())
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, fmt.Sprintf("supervisor %d is running on it", h.PID()))
	assert.Empty(t, said.Stdout)
	assert.True(t, rig.Alive(int(child.GetPid())))
	assert.Equal(t, 0, h.CLI("ps").Code, "the first one serves on")
}

func TestALeftoverLockAndSocketOfADeadSupervisorAreNoObstacle(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, watch())
	h.RunningChild("sleep")
	h.Kill9()
	_, err := os.Lstat(h.State.OperatorSock())
	require.NoError(t, err, "a killed supervisor leaves its socket")
	said := h.CLI("ps")
	assert.Equal(t, 3, said.Code, said.Stderr)
	assert.Contains(t, said.Stderr, "no supervisor answers")
	h.Again()
	assert.Equal(t, 0, h.CLI("ps").Code)
}
