package life_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/integration/rig"
)

func TestASupervisorThatIsKilledWhileItStartsLeavesAStateThatTheNextOneTakes(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]func(layout.State) string{
		"the mark":              func(s layout.State) string { return filepath.Join(s.Root, layout.Marker) },
		"the lock":              layout.State.Lock,
		"the database":          layout.State.DB,
		"the workers' socket":   layout.State.HostSock,
		"the operators'":        layout.State.OperatorSock,
		"the first native code": func(s layout.State) string { return s.Modules() + "/*" },
		"the first record":      func(s layout.State) string { return s.Records("silent-ok", "*") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Fleet{Capsules: []rig.Root{{Name: "silent-ok"}}}, rig.Cold())
			rig.Until(t, rig.Soon, name+" is there", func() bool {
				found, err := filepath.Glob(file(h.State))
				return err == nil && len(found) > 0
			})
			h.Kill9()
			h.Again()
			s := h.LatestEnded("silent-ok", rig.Soon)
			assert.Equal(t, "ok", s.GetStatus(), s.GetDetail())
			for _, s := range h.Sessions() {
				assert.NotEmpty(t, s.GetStatus(), "a session of the killed supervisor is open")
			}
			assert.Equal(t, 0, h.Stop())
			h.NothingLeft()
		})
	}
}

func TestADatabaseThatIsDamagedIsSetAsideAndWorkersOfItEndByThemselves(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{OrphanTimeout: "2s", Capsules: []rig.Root{{Name: "long-parent"}}})
	allRunning(t, h, 2)
	orphans := h.Workers()
	h.Kill9()
	require.Len(t, orphans, 3)
	require.NoError(t, os.WriteFile(h.State.DB(), []byte("this is no database"), 0o600))
	h.Again()
	aside, err := filepath.Glob(h.State.DB() + ".corrupt-*")
	require.NoError(t, err)
	assert.Len(t, aside, 1)
	assert.Contains(t, h.Log(), "corrupt")
	// The new supervisor does not know them, so it neither obeys nor ends them; they have lost theirs.
	rig.Until(t, rig.Soon, "the workers that nobody knows have ended", func() bool {
		for _, pid := range orphans {
			if rig.Alive(pid) {
				return false
			}
		}
		return true
	})
	allRunning(t, h, 2)
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestARecordIsWrittenAlsoWhenItsFolderWasTakenAway(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "sleep", Count: 2}}, Await: "any"}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}})
	running := allRunning(t, h, 2)
	// What its worker writes goes into a folder that has no name any more; the supervisor makes it anew. A file in its place is
	// moved by nobody, and the ledger knows all the same.
	require.NoError(t, os.RemoveAll(running[0].GetRecordsDir()))
	require.NoError(t, os.RemoveAll(running[1].GetRecordsDir()))
	require.NoError(t, os.WriteFile(running[1].GetRecordsDir(), []byte("in the way"), 0o600))
	for _, d := range running {
		require.NoError(t, rig.Send(int(d.GetPid()), syscall.SIGKILL))
	}
	parent := h.RootEnded("parent", rig.Soon)
	outcomes := h.Told(parent).Outcomes()
	for _, d := range running {
		require.Len(t, outcomes[d.GetDelegationId()], 1)
		assert.Equal(t, "signal: killed", outcomes[d.GetDelegationId()][0].Detail)
	}
	alike(t, h, parent, outcomes[running[0].GetDelegationId()][0])
	assert.Contains(t, h.Log(), `"level":"error"`, "the operator is told which record is missing")
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}
