package story_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/supervisor/cli/internal/story"
)

func TestATraceReadsLikeAStory(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("testdata", "trace.jsonl"))
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join("testdata", "story.txt"))
	require.NoError(t, err)
	var teller story.Teller
	var got strings.Builder
	for line := range strings.Lines(string(raw)) {
		got.WriteString(teller.Line(strings.TrimSuffix(line, "\n")) + "\n")
	}
	require.Equal(t, string(want), got.String())
}

func FuzzEveryLineIsTold(f *testing.F) {
	f.Add(`{"event_type":"session_start","event_id":"a","parent_id":null,"timestamp":1,"effective_grants":{"spawn_allow":["x"]}}`)
	f.Add(`{"event_type":"task_end","event_id":"a","parent_id":"a","timestamp":-1e300,"duration_ms":1e300,"detail":3}`)
	f.Add(`[1]`)
	f.Add(`{"event_type":"effective","effective_grants":7,"a":{"b":[null]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		var teller story.Teller
		for range 3 {
			require.NotEmpty(t, teller.Line(line))
		}
	})
}
