package operator_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// row is what JSON listings say of a session, a delegation or an event; each has some of the fields.
type row struct {
	Seq          uint64
	Kind         string
	SessionID    string `json:"session_id"`
	DelegationID string `json:"delegation_id"`
	SpawnedBy    string `json:"spawned_by"`
	Capsule      string
	RootID       string `json:"root_id"`
	State        string
	Status       string
	Detail       string
	Code         string
	PID          int
	RecordsDir   string `json:"records_dir"`
	Outcome      *struct {
		Status      string
		ResultState string `json:"result_state"`
	}
	Missed *struct {
		Events    uint64
		Restarted bool
	}
}

// rows runs a command that prints a JSON array.
func rows(t *testing.T, h *rig.Host, args ...string) []row {
	t.Helper()
	said := h.CLI(append(args, "-o", "json")...)
	require.Equal(t, 0, said.Code, "%v: %s", args, said.Stderr)
	var out []row
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &out), said.Stdout)
	return out
}

// one runs a command that prints a JSON object.
func one(t *testing.T, h *rig.Host, args ...string) row {
	t.Helper()
	said := h.CLI(append(args, "-o", "json")...)
	require.Equal(t, 0, said.Code, "%v: %s", args, said.Stderr)
	var out row
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &out), said.Stdout)
	return out
}

// idle is a fleet without roots: what runs, a test launches.
func idle() rig.Fleet { return rig.Fleet{} }

// sleeper is a fleet whose root sleeps.
func sleeper() rig.Fleet { return rig.Fleet{Capsules: []rig.Root{{Name: "sleep"}}} }
