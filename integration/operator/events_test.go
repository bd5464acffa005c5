package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// family is a root that delegates to a capsule that fails, one that is not there, and one that sleeps for a moment.
func family() rig.Fleet {
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "exit3"}, {Capsule: "no-such"}, {Capsule: "nap"}}}
	return rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}}
}

func TestEventsTellATreesLife(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, family())
	root := h.RootEnded("parent", rig.Soon)
	var all []row
	rig.Until(t, rig.Soon, "the end of the root is told", func() bool {
		all = rows(t, h, "events")
		return slices.ContainsFunc(all, func(e row) bool { return e.SessionID == root.GetSessionId() && e.State == "ended" })
	})
	assert.Equal(t, "up", all[0].State)
	assert.Equal(t, "host", all[0].Kind)
	for i, e := range all {
		assert.Equal(t, all[0].Seq+uint64(i), e.Seq, "no number is left out")
	}
	for _, d := range h.Delegations() {
		var states []string
		var outcome string
		for _, e := range all {
			if e.DelegationID != d.GetDelegationId() {
				continue
			}
			assert.Equal(t, d.GetSessionId(), e.SessionID)
			if e.Kind == "delegation" {
				states = append(states, e.State)
			}
			if e.Kind == "outcome" {
				outcome = e.Outcome.Status
			}
		}
		assert.Equal(t, "starting", states[0])
		assert.Equal(t, "ended", states[len(states)-1])
		assert.Equal(t, d.GetStatus(), outcome)
	}
	refused := slices.DeleteFunc(slices.Clone(all), func(e row) bool { return e.Kind != "refusal" })
	require.Len(t, refused, 1)
	assert.Equal(t, "unknown_capsule", refused[0].Code)
	assert.Equal(t, root.GetSessionId(), refused[0].SessionID)
	assert.Equal(t, "no-such", refused[0].Capsule)

	// What a reader asks for.
	middle := all[len(all)/2].Seq
	behind := rows(t, h, "events", "--after", fmt.Sprint(middle))
	require.NotEmpty(t, behind)
	assert.Equal(t, middle+1, behind[0].Seq)
	for _, e := range rows(t, h, "events", "--kind", "outcome") {
		assert.Equal(t, "outcome", e.Kind)
	}
	assert.Len(t, rows(t, h, "events", "--kind", "outcome"), 2)
	assert.Empty(t, rows(t, h, "events", "--after", fmt.Sprint(all[len(all)-1].Seq)))
	nap := h.Delegations()[1]
	for _, e := range rows(t, h, "events", "--session", nap.GetSessionId()[26:]) {
		assert.Equal(t, nap.GetSessionId(), e.SessionID)
	}
	table := h.CLI("events", "-o", "table")
	assert.Contains(t, table.Stdout, "asked for no-such@0.1.0: unknown_capsule")
	assert.Contains(t, table.Stdout, "ended error")
	assert.Equal(t, len(all), strings.Count(table.Stdout, "\n"))
	assert.Equal(t, 2, h.CLI("events", "--session", "ffffffff").Code)
}

func TestAReaderThatResumesAtAnotherSupervisorIsToldSo(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, idle())
	last := rows(t, h, "events")
	require.Equal(t, 0, h.Stop())
	h.Again()
	got := rows(t, h, "events", "--after", fmt.Sprint(last[len(last)-1].Seq))
	require.Len(t, got, 2)
	require.NotNil(t, got[0].Missed)
	assert.True(t, got[0].Missed.Restarted)
	assert.Greater(t, got[1].Seq, last[len(last)-1].Seq, "numbers go on")
	table := h.CLI("events", "--after", "1", "-o", "table")
	assert.Contains(t, table.Stdout, "-- the supervisor was started anew")
}

func TestWatchersDoNotHoldTheStop(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, sleeper(), rig.Flags("--stop-timeout", "2s"))
	root := h.RootSession("sleep")
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	reading, err := h.API.WatchEvents(ctx, &operatorv1.WatchEventsRequest{})
	require.NoError(t, err)
	for range 100 { // as many watchers as anybody has, none of which reads
		_, err := h.API.WatchEvents(ctx, &operatorv1.WatchEventsRequest{})
		require.NoError(t, err)
	}
	following, err := h.API.TailLogs(ctx, &operatorv1.TailLogsRequest{SessionId: root.GetSessionId(), Follow: true})
	require.NoError(t, err)
	rig.Until(t, rig.Soon, "the sleeper runs", func() bool {
		return h.Session(root.GetSessionId()).GetState() == operatorv1.SessionState_SESSION_STATE_RUNNING
	})
	require.NoError(t, rig.Send(int(h.Session(root.GetSessionId()).GetPid()), syscall.SIGSTOP), "and a worker that hangs")
	asked := time.Now()
	h.Signal(syscall.SIGTERM)
	var told []string
	for {
		answer, err := reading.Recv()
		if err != nil {
			break // the supervisor's end, clean or not: what was told by then counts
		}
		if e := answer.GetEvent(); e != nil {
			told = append(told, e.GetKind().String()+" "+e.GetState())
		}
	}
	for err == nil {
		_, err = following.Recv()
	}
	assert.Equal(t, 0, h.Exit(rig.Soon))
	assert.Less(t, time.Since(asked), 4*time.Second, "the budget and two seconds")
	assert.Equal(t, "EVENT_KIND_SESSION ended", told[len(told)-1], "the last thing told is the end of the last session: %v", told)
	assert.Contains(t, told, "EVENT_KIND_HOST stopping")
}
