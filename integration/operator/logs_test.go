package operator_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func TestALogIsShownBySourceByLinesAndByDelegation(t *testing.T) {
	t.Parallel()
	rig.Heavy(t)
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{
		Name: "parent", Task: rig.Plan{Delegations: []rig.Make{{Capsule: "stderr-then-trap"}, {Capsule: "flood-stdout"}}}.Text(),
	}}})
	h.RootEnded("parent", 2*time.Minute) // a flood takes seconds on an idle machine, and half a minute where ten others want the cores
	child, flood := h.Delegations()[0], h.Delegations()[1]
	for _, id := range []string{child.GetSessionId(), child.GetDelegationId(), child.GetDelegationId()[26:]} {
		said := h.CLI("logs", id)
		require.Equal(t, 0, said.Code, said.Stderr)
		assert.True(t, strings.HasPrefix(said.Stdout, "line 01 of 30\n"), said.Stdout)
		assert.Equal(t, 30, strings.Count(said.Stdout, "\n"))
	}
	said := h.CLI("logs", child.GetSessionId(), "-n", "2", "-f")
	assert.Equal(t, "line 29 of 30\nline 30 of 30\n", said.Stdout, "to follow an ended session ends at once")
	said = h.CLI("logs", child.GetSessionId(), "-n", "2", "-o", "json")
	var lines []string
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &lines))
	assert.Equal(t, []string{"line 29 of 30", "line 30 of 30"}, lines)
	said = h.CLI("logs", child.GetSessionId(), "--stdout")
	assert.Equal(t, rig.Said{}, said, "it printed nothing there")
	said = h.CLI("logs", child.GetSessionId(), "--worker")
	assert.Equal(t, 0, said.Code)
	said = h.CLI("logs", flood.GetDelegationId(), "--stdout", "-n", "1")
	assert.Contains(t, said.Stdout, "[log cut at ")
	assert.Equal(t, 2, h.CLI("logs", "ffffffff").Code)
}

// appendTo writes to a log as its worker would.
func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestWhoFollowsALogSeesItCutReplacedAndEnded(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, sleeper())
	root := h.RootSession("sleep")
	path := filepath.Join(root.GetRecordsDir(), layout.GuestStderrLog)
	rig.Until(t, rig.Soon, "it has a log", func() bool { _, err := os.Stat(path); return err == nil })
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	stream, err := h.API.TailLogs(ctx, &operatorv1.TailLogsRequest{SessionId: root.GetSessionId(), Follow: true})
	require.NoError(t, err)
	next := func() *operatorv1.TailLogsResponse {
		answer, err := stream.Recv()
		require.NoError(t, err)
		return answer
	}
	appendTo(t, path, "one\n")
	assert.Equal(t, []string{"one"}, next().GetLines())
	require.NoError(t, os.Truncate(path, 0))
	restarted := next()
	assert.True(t, restarted.GetRestarted())
	appendTo(t, path, "after the cut\n")
	assert.Equal(t, []string{"after the cut"}, next().GetLines())
	require.NoError(t, os.Rename(path, path+".1"))
	appendTo(t, path, "in a new file\n")
	replaced := next()
	assert.True(t, replaced.GetRestarted())
	lines := replaced.GetLines()
	if len(lines) == 0 {
		lines = next().GetLines()
	}
	assert.Equal(t, []string{"in a new file"}, lines)
	appendTo(t, path, "never ended")
	require.Equal(t, 0, h.CLI("stop", root.GetSessionId(), "--grace", "1s").Code)
	assert.Equal(t, []string{"never ended"}, next().GetLines(), "all that is there is shown")
	_, err = stream.Recv()
	assert.ErrorIs(t, err, io.EOF, "and then it ends")
}

func TestALogThatSteersATerminalIsSpelledOut(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "stderr-then-trap"}}})
	root := h.RootEnded("stderr-then-trap", rig.Soon)
	appendTo(t, filepath.Join(root.GetRecordsDir(), layout.GuestStderrLog), "\x1b[2J\x1b]0;x\x07\r\u202eevil\xff\tok\n")
	said := h.CLI("logs", root.GetSessionId(), "-n", "1")
	assert.Equal(t, `\x1b[2J\x1b]0;x\x07\r\u202eevil`+"\uFFFD\tok\n", said.Stdout)
	appendTo(t, filepath.Join(root.GetRecordsDir(), layout.TraceFile),
		`{"event_type":"task_end","event_id":"x","parent_id":null,"timestamp":1,"detail":"\u001b[31m\nsession forged"}`+"\n"+`{"event_ty`)
	said = h.CLI("trace", root.GetSessionId(), "-o", "table")
	assert.Contains(t, said.Stdout, `: \x1b[31m\nsession forged`+"\n")
	assert.NotContains(t, said.Stdout, "\x1b")
	assert.Contains(t, said.Stderr, `a line that is no event (its writer was killed): {"event_ty`)
}

func TestATraceReadsLikeAStoryAndItsJSONIsTheFile(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, family())
	root := h.RootEnded("parent", rig.Soon)
	said := h.CLI("trace", root.GetSessionId(), "-o", "table")
	require.Equal(t, 0, said.Code, said.Stderr)
	for _, part := range []string{
		"   +0.000s  session " + root.GetSessionId() + " of parent 0.1.0, contained: advisory; may delegate to ",
		"s    task ", "s      delegated to exit3 0.1.0: dlg_", "s      exit3 0.1.0 ended error after ", ": exit 3\n",
		"s      was refused a delegation to no-such 0.1.0", "s    session ended ok after ",
	} {
		assert.Contains(t, said.Stdout, part)
	}
	said = h.CLI("trace", root.GetSessionId()[26:], "-o", "json")
	var events []rig.Event
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &events))
	assert.Equal(t, h.Trace(root.GetRecordsDir()), events)
	assert.Equal(t, len(events), strings.Count(h.CLI("trace", root.GetSessionId(), "-f", "-o", "json").Stdout, "\n"))
}

func TestARequestThatBreaksTheRulesOfTheAPIIsRefusedOnStreamsToo(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, idle())
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	tail, err := h.API.TailLogs(ctx, &operatorv1.TailLogsRequest{SessionId: "x"})
	require.NoError(t, err)
	_, err = tail.Recv()
	assert.ErrorContains(t, err, "InvalidArgument")
	watch, err := h.API.WatchEvents(ctx, &operatorv1.WatchEventsRequest{Kinds: []operatorv1.EventKind{99}})
	require.NoError(t, err)
	_, err = watch.Recv()
	assert.ErrorContains(t, err, "kinds[0]")
	assert.NotErrorIs(t, err, io.EOF)
}
