package operator_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func TestACapsuleIsLaunchedOnARunningHostAndStopped(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Limits: map[string]any{"max_live_capsules": 2}})
	first := one(t, h, "launch", "sleep")
	assert.Equal(t, "sleep+1", first.RootID)
	second := one(t, h, "launch", "sleep@0.1.0", "--task", "x", "--workdir", "work")
	assert.Equal(t, "sleep+2", second.RootID)
	said := h.CLI("launch", "sleep")
	assert.Equal(t, 1, said.Code)
	assert.Contains(t, said.Stderr, "max_live_capsules is 2")
	rig.Until(t, rig.Soon, "its work folder is the one asked for", func() bool {
		_, err := os.Stat(filepath.Join(h.Dir, "work"))
		return err == nil
	})

	stopped := one(t, h, "stop", strings.ToUpper(first.SessionID[28:]), "--reason", "enough", "--grace", "1s")
	assert.Equal(t, first.SessionID, stopped.SessionID)
	assert.Equal(t, "terminated", stopped.Status)
	assert.Equal(t, "ended by an operator: enough", stopped.Detail)
	assert.Equal(t, stopped, one(t, h, "stop", first.SessionID, "--reason", "again"), "an ended one answers with its record")
	third := one(t, h, "launch", "nap", "--task-file", h.FleetFile())
	assert.Equal(t, "nap+1", third.RootID)
	rig.Until(t, rig.Soon, "it has ended ok", func() bool { return h.Session(third.SessionID).GetStatus() == "ok" })

	for line, want := range map[string]string{
		"launch no-such":               `there is no capsule "no-such"`,
		"launch sleep@9.9.9":           "only 0.1.0",
		"launch sleep --workdir s/run": "overlaps the state folder",
		"launch sleep --workdir .":     "overlaps the state folder",
		"stop ffffffff":                "there is no session ffffffff",
		"stop abc":                     "4",
	} {
		said := h.CLI(strings.Fields(line)...)
		assert.Equal(t, 2, said.Code, line)
		assert.Contains(t, said.Stderr, want, line)
		assert.Empty(t, said.Stdout)
	}
	assert.Contains(t, h.Log(), `"by":"uid `, "who did it is in the log")
}

func TestStoppingARootEndsWhatItDelegatedFirst(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	child := h.RunningChild("sleep")
	root := h.RootSession("long-parent")
	said := h.CLI("stop", root.GetSessionId(), "-o", "table")
	require.Equal(t, 0, said.Code, said.Stderr)
	assert.Equal(t, root.GetSessionId()+" long-parent@0.1.0 ended terminated: ended by an operator\n", said.Stdout)
	assert.True(t, rig.Gone(int(child.GetPid())))
	assert.True(t, rig.Gone(int(root.GetPid())))
	d := h.Delegation(child.GetDelegationId())
	assert.Equal(t, "ended with its parent", d.GetDetail())
	assert.False(t, d.GetEndedAt().AsTime().After(h.Session(root.GetSessionId()).GetEndedAt().AsTime()))
	h.Idle()
}

func TestAWorkerThatHangsIsListedWithoutDelayAndEnded(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	child := h.RunningChild("sleep")
	root := h.RootSession("long-parent")
	for _, pid := range []int{int(child.GetPid()), int(root.GetPid())} {
		require.NoError(t, rig.Send(pid, syscall.SIGSTOP))
	}
	for _, call := range []func(){
		func() { h.Sessions() }, func() { h.Delegations() }, func() { h.Delegation(child.GetDelegationId()) },
		func() { h.Session(root.GetSessionId()) },
	} {
		asked := time.Now()
		call()
		assert.Less(t, time.Since(asked), 500*time.Millisecond, "no listing asks a worker")
	}
	for _, line := range []string{"ps", "delegations", "tree", "host", "logs " + child.GetDelegationId(), "trace " + root.GetSessionId()} {
		said := h.CLI(strings.Fields(line)...)
		assert.Equal(t, 0, said.Code, said.Stderr)
	}
	killed := one(t, h, "kill", child.GetDelegationId(), "--grace", "0s")
	assert.Equal(t, "terminated", killed.Status)
	stopped := one(t, h, "stop", root.GetSessionId(), "--grace", "0s")
	assert.Equal(t, "terminated", stopped.Status)
	h.Idle()
}

func TestAnEndGoesOnWhenWhoAskedForItLeaves(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, sleeper())
	root := h.RootSession("sleep")
	rig.Until(t, rig.Soon, "the sleeper runs", func() bool {
		return h.Session(root.GetSessionId()).GetState() == operatorv1.SessionState_SESSION_STATE_RUNNING
	})
	pid := int(h.Session(root.GetSessionId()).GetPid())
	require.NoError(t, rig.Send(pid, syscall.SIGSTOP))
	rig.Until(t, rig.Soon, "the worker hangs", func() bool { return rig.Stopped(pid) })
	watching, unwatch := context.WithTimeout(context.Background(), rig.Soon)
	defer unwatch()
	events, err := h.API.WatchEvents(watching, &operatorv1.WatchEventsRequest{SessionId: root.GetSessionId()})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := h.API.StopSession(ctx, &operatorv1.StopSessionRequest{SessionId: root.GetSessionId(), Grace: durationpb.New(time.Second)})
		done <- err
	}()
	// An event stays where a state that is asked for may have passed: the cause is committed.
	for state := ""; state != "ending"; {
		answer, err := events.Recv()
		require.NoError(t, err)
		state = answer.GetEvent().GetState()
		require.NotEqual(t, "ended", state, answer.GetEvent().GetDetail())
	}
	cancel()
	require.Error(t, <-done)
	ended := h.RootEnded("sleep", rig.Soon)
	assert.Equal(t, "terminated", ended.GetStatus())
	assert.Equal(t, "ended by an operator", ended.GetDetail())
}
