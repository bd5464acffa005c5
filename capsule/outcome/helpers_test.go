package outcome_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	"rookery/capsule/internal/tempdir"
	"rookery/capsule/outcome"
)

// finished is a record like a child's worker writes.
func finished() outcome.Record {
	return outcome.Record{
		DelegationID:   "dlg_0001",
		CapsuleName:    "worker",
		CapsuleVersion: "0.1.0",
		SessionID:      "ses_child",
		Status:         outcome.OK,
		ResultPath:     "/state/records/worker/ses_child/out/result.txt",
		Workdir:        "/state/work/ses_child",
		DurationMS:     42,
		ReportedBy:     outcome.Child,
	}
}

// folder makes a folder and holds it.
func folder(tb testing.TB) *beneath.Dir {
	tb.Helper()
	dir, err := beneath.Open(tempdir.New(tb))
	require.NoError(tb, err)
	tb.Cleanup(func() { dir.Close() })
	return dir
}

// put writes a file into a held folder, making folders on the way.
func put(tb testing.TB, dir *beneath.Dir, name, text string) {
	tb.Helper()
	path := filepath.Join(dir.Name(), name)
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
}

func names(tb testing.TB, dir *beneath.Dir) []string {
	tb.Helper()
	found, err := dir.Names()
	require.NoError(tb, err)
	return found
}

// load reads the cases of a file of test vectors.
func load(tb testing.TB, name string, cases any) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(tb, err)
	var file struct {
		Cases json.RawMessage `json:"cases"`
	}
	require.NoError(tb, json.Unmarshal(data, &file))
	require.NoError(tb, json.Unmarshal(file.Cases, cases))
}
