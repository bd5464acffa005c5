package tasks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/worker/trace"
)

func TestRefusalsAreTracedAtABoundedRateAndTheRestIsCounted(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var lines []trace.AccessRefused
	r := refusals{budget: trace.Budget{Now: func() time.Time { return now }}, emit: func(e trace.AccessRefused) { lines = append(lines, e) }}
	for i := range 25 {
		r.tell("path_open", fmt.Sprint(i), "notcapable")
	}
	require.Len(t, lines, 20)
	require.Equal(t, trace.AccessRefused{Op: "path_open", Path: "19", Errno: "notcapable"}, lines[19])

	now = now.Add(1500 * time.Millisecond)
	r.tell("fd_write", "", "dquot")
	require.Equal(t, trace.AccessRefused{Op: "fd_write", Errno: "dquot", Dropped: 5}, lines[20])
	r.tell("a", "", "rofs")
	now = now.Add(500 * time.Millisecond)
	r.tell("b", "", "rofs")
	require.Equal(t, trace.AccessRefused{Op: "b", Errno: "rofs", Dropped: 1}, lines[21], "half a second was left over")

	r.tell("c", "", "rofs")
	r.tell("d", "", "rofs")
	r.flush()
	r.flush()
	require.Equal(t, trace.AccessRefused{Op: "d", Errno: "rofs", Dropped: 1}, lines[22])
	require.Len(t, lines, 23)
}

func TestRefusalsOfOneTaskHaveALimit(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	lines, counted := 0, int64(0)
	r := refusals{budget: trace.Budget{Now: func() time.Time { return now }}, emit: func(e trace.AccessRefused) { lines++; counted += 1 + e.Dropped }}
	for range 3000 {
		now = now.Add(time.Second)
		r.tell("path_open", "x", "rofs")
	}
	r.flush()
	require.Equal(t, 1000+1, lines)
	require.EqualValues(t, 3000, counted)
}

func TestARefusedPathIsBoundedText(t *testing.T) {
	t.Parallel()
	var got trace.AccessRefused
	r := refusals{budget: trace.Budget{Now: time.Now}, emit: func(e trace.AccessRefused) { got = e }}
	r.tell("path_open", strings.Repeat("x", maxRefusedPath-1)+"é", "rofs")
	require.Equal(t, strings.Repeat("x", maxRefusedPath-1)+"\uFFFD", got.Path)
}
