package rig

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// Completion reads a delegation's record, which must hold the format's keys and no others.
func (h *Host) Completion(d *operatorv1.Delegation) outcome.Record {
	h.t.Helper()
	var rec outcome.Record
	h.strict(filepath.Join(d.GetRecordsDir(), outcome.CompletionFile), &rec)
	return rec
}

// End reads what a root left of its end.
func (h *Host) End(s *operatorv1.Session) outcome.End {
	h.t.Helper()
	var end outcome.End
	h.strict(filepath.Join(s.GetRecordsDir(), outcome.EndFile), &end)
	return end
}

// Ends are the ends on disk of all roots of a capsule, without asking a supervisor.
func (h *Host) Ends(capsule string) []outcome.End {
	h.t.Helper()
	return all[outcome.End](h, capsule, outcome.EndFile)
}

// Completions are the records on disk of all delegated sessions of a capsule, without asking a supervisor.
func (h *Host) Completions(capsule string) []outcome.Record {
	h.t.Helper()
	return all[outcome.Record](h, capsule, outcome.CompletionFile)
}

func all[R any](h *Host, capsule, file string) []R {
	h.t.Helper()
	paths, err := filepath.Glob(filepath.Join(h.State.Root, "records", capsule, "ses_*", file))
	require.NoError(h.t, err)
	records := make([]R, len(paths))
	for i, path := range paths {
		h.strict(path, &records[i])
	}
	return records
}

func (h *Host) strict(path string, into any) {
	h.t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(h.t, err)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	require.NoError(h.t, decoder.Decode(into), "%s: %s", path, raw)
}

// Event is one line of a trace.
type Event map[string]any

// Trace reads the trace in a records folder. Every line must be whole.
func (h *Host) Trace(recordsDir string) []Event {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(recordsDir, layout.TraceFile))
	require.NoError(h.t, err)
	var events []Event
	for line := range bytes.Lines(raw) {
		var e Event
		require.NoError(h.t, json.Unmarshal(line, &e), "%s", line)
		events = append(events, e)
	}
	return events
}

// Answer is what a session left as its answer.
func (h *Host) Answer(recordsDir string) string {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(recordsDir, layout.ResultFile))
	require.NoError(h.t, err)
	return string(raw)
}

// GuestStderr is what a session's capsule has written to stderr so far.
func (h *Host) GuestStderr(recordsDir string) string {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(recordsDir, layout.GuestStderrLog))
	require.NoError(h.t, err)
	return string(raw)
}
