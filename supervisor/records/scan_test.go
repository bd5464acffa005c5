package records_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/supervisor/records"
)

// keep writes a session's lineage, and its end when there is one.
func keep(t *testing.T, state layout.State, l records.Lineage, end any) {
	t.Helper()
	dir := state.Records(l.CapsuleName, l.SessionID)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	raw, err := json.Marshal(l)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(state.Lineage(l.CapsuleName, l.SessionID), raw, 0o600))
	own, err := beneath.Open(dir)
	require.NoError(t, err)
	defer own.Close()
	switch end := end.(type) {
	case outcome.End:
		require.NoError(t, outcome.WriteEnd(own, end))
	case outcome.Record:
		require.NoError(t, outcome.WriteRecord(own, end))
	case string:
		require.NoError(t, os.WriteFile(filepath.Join(dir, outcome.EndFile), []byte(end), 0o600))
	}
}

func lineage() records.Lineage {
	ses := id.Session.New()
	return records.Lineage{SessionID: ses, CapsuleName: "c", Version: "1.0.0", RootSessionID: ses, StartedAt: time.UnixMilli(5000).UTC()}
}

func TestTheRecordsTellWhereSessionsCameFromAndHowTheyEnded(t *testing.T) {
	t.Parallel()
	state := layout.State{Root: folder(t)}
	root := lineage()
	keep(t, state, root, outcome.End{SessionID: root.SessionID, Status: outcome.Error, Detail: "exit 3", DurationMS: 7})
	child := lineage()
	child.CapsuleName, child.SpawnedBy, child.DelegationID, child.RootSessionID, child.Depth = "d", root.SessionID, id.Delegation.New(), root.SessionID, 1
	keep(t, state, child, outcome.Record{
		DelegationID: child.DelegationID, CapsuleName: "d", CapsuleVersion: "1.0.0", SessionID: child.SessionID, Status: outcome.OK, Workdir: "/w",
		DurationMS: 9, ReportedBy: outcome.Child, Delivered: true,
	})
	open := lineage()
	keep(t, state, open, nil)

	sessions, errs := records.Scan(state)
	require.Empty(t, errs)
	require.Len(t, sessions, 3)
	assert.Equal(t, []string{root.SessionID, child.SessionID, open.SessionID}, []string{sessions[0].SessionID, sessions[1].SessionID, sessions[2].SessionID})
	assert.True(t, sessions[0].Ended)
	assert.Equal(t, "exit 3", sessions[0].Detail)
	assert.Equal(t, 7*time.Millisecond, sessions[0].Duration)
	assert.Equal(t, child, sessions[1].Lineage)
	assert.True(t, sessions[1].Delivered)
	assert.Equal(t, outcome.OK, sessions[1].Status)
	assert.False(t, sessions[2].Ended)
}

func TestWhatIsNoRecordIsNamedAndHidesNothingElse(t *testing.T) {
	t.Parallel()
	state := layout.State{Root: folder(t)}
	good := lineage()
	keep(t, state, good, nil)
	other, spoiled := lineage(), lineage()
	keep(t, state, other, nil)
	require.NoError(t, os.WriteFile(state.Lineage("c", other.SessionID), []byte(`{"session_id":"`+good.SessionID+`"}`), 0o600))
	keep(t, state, spoiled, `{"session_id": 3}`)
	link := id.Session.New()
	require.NoError(t, os.Symlink(state.Lineage("c", good.SessionID), state.Lineage("c", link)))
	require.NoError(t, os.WriteFile(filepath.Join(state.Root, "records", "c", ".tmp-1"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(state.Root, "records", "stray"), nil, 0o600))

	sessions, errs := records.Scan(state)
	require.Len(t, sessions, 1)
	assert.Equal(t, good.SessionID, sessions[0].SessionID)
	require.Len(t, errs, 3)
	for _, broken := range []string{other.SessionID, spoiled.SessionID, link} {
		assert.ErrorContains(t, errors.Join(errs...), broken)
	}

	_, errs = records.Scan(layout.State{Root: filepath.Join(state.Root, "none")})
	require.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], fs.ErrNotExist)
}

func FuzzALineageIsReadOrRefused(f *testing.F) {
	ses := id.Session.New()
	f.Add([]byte(`{"session_id":"` + ses + `","capsule_name":"c","started_at":"2026-11-30T16:40:17Z"}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		state := layout.State{Root: folder(t)}
		require.NoError(t, os.MkdirAll(state.Records("c", ses), 0o700))
		require.NoError(t, os.WriteFile(state.Lineage("c", ses), raw, 0o600))
		sessions, errs := records.Scan(state)
		require.Equal(t, 1, len(sessions)+len(errs))
		for _, s := range sessions {
			require.Equal(t, ses, s.SessionID)
			require.Equal(t, "c", s.CapsuleName)
		}
	})
}
