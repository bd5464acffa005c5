package operator_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func TestAShellCompletesIdsOfTheRunningHost(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	child := h.RunningChild("sleep")
	root := h.RootSession("long-parent")
	said := h.CLI("__complete", "kill", "")
	assert.Contains(t, said.Stdout, child.GetDelegationId()+"\tsleep running\n")
	assert.NotContains(t, said.Stdout, root.GetSessionId())
	assert.Contains(t, h.CLI("__complete", "stop", "").Stdout, root.GetSessionId()+"\tlong-parent running\n")
	said = h.CLI("__complete", "logs", "--state", h.State.Root, "")
	assert.Contains(t, said.Stdout, child.GetDelegationId())
	assert.Contains(t, said.Stdout, child.GetSessionId())
	assert.NotContains(t, h.CLI("__complete", "kill", child.GetDelegationId(), "").Stdout, "dlg_", "it takes one")
	assert.Contains(t, h.CLI("__complete", "events", "--kind", "").Stdout, "refusal")

	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	script := rig.Command(t, h.Dir, []string{"HOME=" + h.Dir}, "completion", "bash")
	require.Equal(t, 0, script.Code, script.Stderr)
	check := exec.Command(bash, "-n")
	check.Stdin = strings.NewReader(script.Stdout)
	assert.NoError(t, check.Run())

	require.Equal(t, 0, h.Stop())
	said = h.CLI("__complete", "kill", "")
	assert.Equal(t, 0, said.Code)
	assert.NotContains(t, said.Stdout, "dlg_", "no host, no offer, no fault")
}

func TestATreeIsFollowedInPlainLinesElsewhere(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, sleeper())
	root := h.RootSession("sleep")
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(rig.Path("bin"), "supervisor"), "tree", "-w")
	cmd.Env = []string{"HOME=" + h.Dir, "ROOKERY_STATE=" + h.State.Root}
	var out strings.Builder
	cmd.Stdout = &out
	rig.Until(t, rig.Soon, "the root runs", func() bool {
		return h.Session(root.GetSessionId()).GetState() == operatorv1.SessionState_SESSION_STATE_RUNNING
	})
	require.NoError(t, cmd.Start())
	watching := h.CLI("launch", "nap") // whatever is told before the tree is drawn is in it
	require.Equal(t, 0, watching.Code, watching.Stderr)
	assert.Equal(t, 0, h.Stop())
	require.NoError(t, cmd.Wait(), "it ends with the host")
	assert.Contains(t, out.String(), "sleep sleep@0.1.0 running pid ")
	assert.Contains(t, out.String(), "sleep@0.1.0 ended terminated (the supervisor was stopped)\n")
	assert.NotContains(t, out.String(), "\x1b")
}
