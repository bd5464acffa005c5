package bench

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// warmCycles come before what is compared.
const warmCycles = 200

// BenchmarkCycles is what a supervisor still holds after a thousand delegations have begun and ended, one after the other, beside what it
// held after the first two hundred. Until retention removes them the ledger keeps their rows, and the events of the last 700 are kept as well;
// the row pruned is without the rows of the ledger.
func BenchmarkCycles(b *testing.B) {
	probe := newProbe(b)
	fleet := roomy()
	fleet.Retention = map[string]any{"records": "1s"}
	h := probe.up(b, fleet)
	var f figures
	note := func(row string, base kept) kept {
		k := probe.ask(b, h)
		f.set(row, "heap-MB", megabytes(k.Heap))
		f.set(row, "rss-MB", megabytes(memoryOf(b, h.PID()).rss))
		f.set(row, "goroutines", float64(k.Goroutines))
		f.set(row, "descriptors", float64(k.descriptors))
		if base.Heap > 0 {
			f.set(row, "x-heap", float64(k.Heap)/float64(base.Heap))
		}
		return k
	}
	note("new", kept{})
	cycle(b, h, warmCycles)
	warm := note("after-200", kept{})
	cycle(b, h, many)
	note("after-1200", warm)
	prune(b, h)
	note("pruned", warm)
	f.report(b)
}

// cycle begins and ends that many delegations.
func cycle(b *testing.B, h *rig.Host, n int) {
	b.Helper()
	ended(b, h, launch(b, h, "widow", task(n, "silent-ok")))
}

// leftAlone is how long retention leaves an end alone, and some.
const leftAlone = 61 * time.Second

// prune lets the host forget everything that has ended.
func prune(b *testing.B, h *rig.Host) {
	b.Helper()
	last := time.Now()
	rig.Until(b, 2*leftAlone, "the last end is old enough", func() bool { return time.Since(last) > leftAlone })
	ctx, cancel := context.WithTimeout(b.Context(), bound)
	defer cancel()
	_, err := h.API.Prune(ctx, &operatorv1.PruneRequest{})
	require.NoError(b, err)
	require.Empty(b, h.Sessions())
}
