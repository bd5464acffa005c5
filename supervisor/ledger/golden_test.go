package ledger_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRowsKeepTheirFormOnDisk fails when a change would make rows unreadable that
// are on people's disks. A form that must change takes a new schema number.
func TestRowsKeepTheirFormOnDisk(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 3, 2, 1, 123456789, time.UTC)
	cause := &ledger.Cause{
		Kind: ledger.CauseOperator, Status: outcome.Terminated, Detail: "ended by an operator: test", By: "operator",
		At: at, Tell: true, RecordStood: true,
	}
	for name, row := range map[string]any{
		"session": &ledger.Session{
			ID: "ses_1", RootID: "orchestrator", Capsule: "c", Version: "1.0.0", State: ledger.Ended, Status: outcome.Terminated,
			Detail: "d", Host: ledger.LocalHost, Identity: process, RunHex: "0011aabb", URL: "http://127.0.0.1:1",
			SpawnedBy: "ses_0", DelegationID: "dlg_1", RootSessionID: "ses_0", Depth: 1, TaskID: "tsk_1", ContextID: "ctx_1",
			Workdir: "/w", RecordsDir: "/r", WorkdirOurs: true, Containment: "sealed", Door: "open", StartedAt: at, ReadyAt: at,
			EndedAt: at, DurationMS: 7, MaxRSS: 1 << 20, CPUMS: 3, TasksDone: 1, Cause: cause, Rev: 5,
		},
		"delegation": &ledger.Delegation{
			ID: "dlg_1", RequestID: "req_1", RequestDigest: "ab", ParentSessionID: "ses_0", ParentTaskID: "tsk_0",
			ContextID: "ctx_1", RootSessionID: "ses_0", SessionID: "ses_1", Capsule: "c", Version: "1.0.0", Depth: 1,
			State: ledger.Ended, Status: outcome.Terminated, Detail: "d", ReportedBy: "launcher", Delivered: true, DeliveredAt: at,
			DeliveryError: "e", LineageOnly: true, DeadlineMS: 60_000, StartedAt: at, EndedAt: at, DurationMS: 7,
			ResultPath: "out/result.txt", Cause: cause, KilledBy: "operator", Told: true, Seq: 2,
			Answer:  ledger.Answer{State: outcome.ResultText, Text: "t", Truncated: true, WholePath: "delegations/dlg_1.txt"},
			Message: "m", Rev: 6,
		},
		"begun": &ledger.Session{
			ID: "ses_0", Capsule: "c", Version: "1.0.0", State: ledger.Starting, Host: ledger.LocalHost,
			RootSessionID: "ses_0", StartedAt: at, Rev: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name+".json")
			got, err := json.MarshalIndent(row, "", "  ")
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(path, append(got, '\n'), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got)+"\n")
		})
	}
}
