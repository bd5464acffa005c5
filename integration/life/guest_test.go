package life_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/integration/rig"
	murmur "rookery/sdk/go"
)

// ends are what capsules can do to themselves, and what their parent must be told.
var ends = []struct {
	name   string
	made   rig.Make
	status murmur.Status
	detail string // a pattern for the whole detail
	result murmur.ResultState
}{
	{"a child that traps", rig.Make{Capsule: "trap"}, murmur.StatusError, `trap: unreachable`, murmur.ResultNone},
	{"a child that says why and traps", rig.Make{Capsule: "stderr-then-trap"}, murmur.StatusError, `trap: unreachable`, murmur.ResultNone},
	{"a child that exits 3", rig.Make{Capsule: "exit3"}, murmur.StatusError, `exit 3`, murmur.ResultNone},
	{"a child that spins to its own deadline", rig.Make{Capsule: "spin-short"}, murmur.StatusError, `deadline 1s`, murmur.ResultNone},
	{"a child that nothing in the engine interrupts", rig.Make{Capsule: "bulk"}, murmur.StatusError, `deadline 1s`, murmur.ResultNone},
	{"a child that spins to the delegation's deadline", rig.Make{Capsule: "spin", DeadlineSecs: 1}, murmur.StatusTerminated, `delegation deadline 1s`, murmur.ResultNone},
	{"a child that sleeps past the delegation's deadline", rig.Make{Capsule: "sleep", DeadlineSecs: 2}, murmur.StatusTerminated, `delegation deadline 2s`, murmur.ResultNone},
	{"a child whose two deadlines come together", rig.Make{Capsule: "spin-short", DeadlineSecs: 1}, murmur.StatusTerminated, `delegation deadline 1s`, murmur.ResultNone},
	{"a child that nothing interrupts past the delegation's deadline", rig.Make{Capsule: "bulk", DeadlineSecs: 0.4}, murmur.StatusTerminated, `delegation deadline 400ms`, murmur.ResultNone},
	{"a child that recurses without end", rig.Make{Capsule: "recurse"}, murmur.StatusError, `trap: call stack exhausted`, murmur.ResultNone},
	{"a child that takes all memory", rig.Make{Capsule: "memhog"}, murmur.StatusError, `trap: unreachable \(memory 51[12]Mi of 512Mi\)`, murmur.ResultNone},
	{"a child that floods stdout", rig.Make{Capsule: "flood-stdout"}, murmur.StatusOK, ``, murmur.ResultText},
	{"a child that floods stderr", rig.Make{Capsule: "flood-stderr"}, murmur.StatusOK, ``, murmur.ResultNone},
	{"a child that says nothing", rig.Make{Capsule: "silent-ok"}, murmur.StatusOK, ``, murmur.ResultNone},
	{"a child that sleeps and ends well", rig.Make{Capsule: "nap"}, murmur.StatusOK, ``, murmur.ResultNone},
	{"a child that prints its answer", rig.Make{Capsule: "stdout-answer"}, murmur.StatusOK, ``, murmur.ResultText},
	{"a child with a large answer", rig.Make{Capsule: "big-answer"}, murmur.StatusOK, ``, murmur.ResultText},
	{"a child that would steer a model or a terminal", rig.Make{Capsule: "escape-answer"}, murmur.StatusOK, ``, murmur.ResultText},
	{"a child that is a parent", rig.Make{Capsule: "parent", Task: `{"delegations": [{"capsule": "exit3"}, {"capsule": "sleep"}], "await": "any"}`, DeadlineSecs: 3},
		murmur.StatusTerminated, `delegation deadline 3s`, murmur.ResultText},
	{"a child with a task that it cannot read", rig.Make{Capsule: "parent", Task: `{"nonsense": 1}`}, murmur.StatusError, `exit 1`, murmur.ResultNone},
}

func TestWhateverACapsuleDoesItsParentIsToldOnceAndAlike(t *testing.T) {
	t.Parallel()
	rig.Heavy(t)
	plan := rig.Plan{Await: "any"}
	for _, e := range ends {
		plan.Delegations = append(plan.Delegations, e.made)
	}
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": 32, "max_live_capsules": 64, "spawn_burst": 64},
		Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}},
	})
	parent := h.RootEnded("parent", time.Minute)
	told := h.Told(parent)
	require.Len(t, told.Delegations, len(ends))
	outcomes := told.Outcomes()
	for i, e := range ends {
		t.Run(e.name, func(t *testing.T) {
			made := told.Delegations[i]
			require.NotNil(t, made.Started, "%+v", made.Refused)
			require.Len(t, outcomes[made.Started.DelegationID], 1, "how often the parent was told")
			o := outcomes[made.Started.DelegationID][0]
			if e.made.Capsule == "bulk" && e.made.DeadlineSecs == 0 && o.Status == murmur.StatusCrashed {
				// Nothing but its worker's watchdog ends it, 700 ms behind its deadline; the supervisor kills a second behind it. On a
				// busy machine the 300 ms between may be too few to write a record and sync it. The detail is the same then.
				assert.Equal(t, "launcher", h.Delegation(o.DelegationID).GetReportedBy())
			} else {
				assert.Equal(t, e.status, o.Status)
			}
			assert.Regexp(t, `^(?:`+e.detail+`)$`, o.Detail)
			assert.Equal(t, e.result, o.ResultState)
			alike(t, h, parent, o)
		})
	}
	t.Run("a message holds no fence that the child wrote and no byte that steers a terminal", func(t *testing.T) {
		o := outcomeOf(t, told, "escape-answer")
		assert.Equal(t, 1, strings.Count(o.Message, "</untrusted-content>"), o.Message)
		assert.Contains(t, o.Message, "obey me")
	})
	t.Run("a large answer is cut with a word on where the whole is", func(t *testing.T) {
		o := outcomeOf(t, told, "big-answer")
		assert.True(t, o.Truncated)
		assert.Equal(t, "delegations/"+o.DelegationID+".txt", o.Whole)
		assert.Contains(t, o.Result, "of 70000 bytes")
		d := h.Delegation(o.DelegationID)
		assert.Len(t, h.Answer(d.GetRecordsDir()), 70000)
	})
	t.Run("a flood is cut in its log, and the cut is said", func(t *testing.T) {
		for capsule, name := range map[string]string{"flood-stdout": layout.GuestStdoutLog, "flood-stderr": layout.GuestStderrLog} {
			text, err := os.ReadFile(filepath.Join(h.Delegation(outcomeOf(t, told, capsule).DelegationID).GetRecordsDir(), name))
			require.NoError(t, err)
			assert.LessOrEqual(t, len(text), 16<<20+256, capsule)
			assert.Greater(t, len(text), 15<<20, capsule)
			assert.Contains(t, string(text[len(text)-256:]), "[log cut at ", capsule)
		}
	})
	t.Run("the grandchildren of a child that was ended have ended before it", func(t *testing.T) {
		above := told.Delegations[len(ends)-2].Started
		n := 0
		for _, d := range h.Delegations() {
			if d.GetParentSessionId() != above.SessionID {
				continue
			}
			n++
			recorded(t, h, d)
			assert.False(t, d.GetEndedAt().AsTime().After(h.Delegation(above.DelegationID).GetEndedAt().AsTime()))
		}
		assert.Equal(t, 2, n)
	})
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func outcomeOf(t *testing.T, told rig.Told, capsule string) murmur.Outcome {
	t.Helper()
	for _, all := range told.Outcomes() {
		if all[0].Capsule == capsule {
			return all[0]
		}
	}
	t.Fatalf("no outcome of %s", capsule)
	return murmur.Outcome{}
}

func TestAChildThatItsParentEndedIsToldByTheEndAlone(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep", End: true}, {Capsule: "silent-ok", Wait: true}, {Capsule: "exit3"}}, Await: "twice"}
	// Awaiting everything includes the ended one, which is told to nobody again: the bound lets the parent go on.
	plan.TimeoutSecs = 1
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}})
	parent := h.RootEnded("parent", rig.Soon)
	told := h.Told(parent)
	ended := told.Delegations[0].Outcome
	require.NotNil(t, ended)
	assert.Equal(t, murmur.StatusTerminated, ended.Status)
	assert.Equal(t, "ended by the parent", ended.Detail)
	recorded(t, h, h.Delegation(ended.DelegationID))
	assert.Equal(t, murmur.StatusOK, told.Delegations[1].Outcome.Status)
	exit3 := told.Delegations[2].Started.DelegationID
	require.Len(t, told.Awaits, 2)
	for _, a := range told.Awaits {
		assert.NotContains(t, a.Outstanding, exit3, "an await is a repeatable read")
	}
	assert.Len(t, told.Outcomes()[exit3], 2)
}
