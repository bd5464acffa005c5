package life_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/failpoint"
	"rookery/capsule/outcome"
	"rookery/integration/rig"
	murmur "rookery/sdk/go"
)

// points are the named points of a worker's life, each met by another capsule so that one host shows them all. From the written
// record on, what the child said of itself stands.
var points = []struct {
	point, capsule string
	before         bool // the process ends before its record is written
	status         murmur.Status
	detail         string
}{
	{failpoint.Forked, "silent-ok", true, murmur.StatusOK, ""},
	{failpoint.Gated, "stdout-answer", true, murmur.StatusOK, ""},
	{failpoint.Handshaken, "nap", true, murmur.StatusOK, ""},
	{failpoint.Assigned, "exit3", true, murmur.StatusError, "exit 3"},
	{failpoint.Running, "trap", true, murmur.StatusError, "trap: unreachable"},
	{failpoint.RecordWritten, "recurse", false, murmur.StatusError, "trap: call stack exhausted"},
	{failpoint.Posted, "big-answer", false, murmur.StatusOK, ""},
	{failpoint.Exiting, "stderr-then-trap", false, murmur.StatusError, "trap: unreachable"},
}

// armed is the variable that does one thing at every point.
func armed(action func(point string) string) string {
	var commands []string
	for _, p := range points {
		commands = append(commands, fmt.Sprintf("%s:%s=%s", p.capsule, p.point, action(p.point)))
	}
	return failpoint.Env + "=" + strings.Join(commands, ";")
}

// everyPoint is a plan with a child for every point.
func everyPoint() rig.Plan {
	plan := rig.Plan{Await: "any"}
	for _, p := range points {
		plan.Delegations = append(plan.Delegations, rig.Make{Capsule: p.capsule})
	}
	return plan
}

func TestADeathAtAnyPointOfAChildsLifeIsOneRecordAndOneOutcome(t *testing.T) {
	t.Parallel()
	programs := rig.Failpoints(t)
	for action, death := range map[string]string{
		"kill":    "signal: killed",
		"abort":   "exit status 2: SIGABRT: abort",
		"segv":    "exit status 2: SIGSEGV: segmentation violation",
		"exit:0":  "exit status 0",
		"exit:69": "exit status 69",
	} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			h := rig.Up(t, rig.Fleet{
				Limits:   map[string]any{"max_children": len(points), "max_live_capsules": 32},
				Capsules: []rig.Root{{Name: "parent", Task: everyPoint().Text()}},
			}, rig.Programs(programs), rig.Env(armed(func(string) string { return action })))
			parent := h.RootEnded("parent", rig.Soon)
			told := h.Told(parent)
			outcomes := told.Outcomes()
			assert.Len(t, h.Delegations(), len(points))
			for i, p := range points {
				require.NotNil(t, told.Delegations[i].Started, p.point)
				id := told.Delegations[i].Started.DelegationID
				require.Len(t, outcomes[id], 1, "how often the parent was told of a death at %s", p.point)
				o := outcomes[id][0]
				if p.before {
					assert.Equal(t, murmur.StatusCrashed, o.Status, p.point)
					assert.Contains(t, o.Detail, death, p.point)
				} else {
					assert.Equal(t, p.status, o.Status, p.point)
					assert.Equal(t, p.detail, o.Detail, p.point)
				}
				alike(t, h, parent, o)
			}
			assert.Equal(t, 0, h.Stop())
			h.NothingLeft()
		})
	}
}

func TestADeathAtAnyPointOfARootsLifeIsOneRecord(t *testing.T) {
	t.Parallel()
	var roots []rig.Root
	for _, p := range points {
		roots = append(roots, rig.Root{Name: p.capsule})
	}
	h := rig.Start(t, rig.Fleet{Limits: map[string]any{"max_live_capsules": 32}, Capsules: roots},
		rig.Programs(rig.Failpoints(t)), rig.Env(armed(func(string) string { return "kill" })), rig.Flags("--once"))
	assert.Equal(t, 1, h.Exit(rig.Soon), "not every root ended ok")
	h.NothingLeft()
	for _, p := range points {
		ends := h.Ends(p.capsule)
		require.Len(t, ends, 1, p.point)
		if p.before {
			assert.Equal(t, outcome.Crashed, ends[0].Status, p.point)
			assert.Contains(t, ends[0].Detail, "signal: killed", p.point)
		} else {
			assert.Equal(t, outcome.Status(p.status), ends[0].Status, p.point)
			assert.Equal(t, p.detail, ends[0].Detail, p.point)
		}
		assert.Equal(t, 1, strings.Count(h.Stdout(), fmt.Sprintf("== %s %s %s\n", p.capsule, ends[0].SessionID, ends[0].Status)), h.Stdout())
	}
}

func TestAWorkerThatStopsAtAnyPointIsEndedInTime(t *testing.T) {
	t.Parallel()
	plan := everyPoint()
	for i := range plan.Delegations {
		plan.Delegations[i].DeadlineSecs = 2
	}
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": len(points), "max_live_capsules": 32},
		Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}},
	}, rig.Programs(rig.Failpoints(t)), rig.Env(armed(func(string) string { return "stop" })))
	// A start may take thirty seconds; then the capsules' own times begin.
	parent := h.RootEnded("parent", time.Minute)
	told := h.Told(parent)
	outcomes := told.Outcomes()
	for i, p := range points {
		id := told.Delegations[i].Started.DelegationID
		require.Len(t, outcomes[id], 1, "how often the parent was told of a stop at %s", p.point)
		o := outcomes[id][0]
		if p.before {
			assert.Contains(t, []murmur.Status{murmur.StatusCrashed, murmur.StatusTerminated}, o.Status, "%s: %s", p.point, o.Detail)
		} else {
			assert.Equal(t, p.status, o.Status, "%s: %s", p.point, o.Detail)
		}
		alike(t, h, parent, o)
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}
