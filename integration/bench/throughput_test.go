package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// wide is the tree that is measured: 4 + 16 + 80 delegations.
const wide, inWide = "4 4 5", 100

// BenchmarkTree is how many delegations a second a tree of three levels makes, from the launch of its root until that has ended: every
// capsule in it is a Go program that delegates, waits for all its children and ends. The row chain is a tree of one delegation on each of
// two levels: what is left when nothing runs beside anything.
func BenchmarkTree(b *testing.B) {
	h := rig.Up(b, roomy())
	r := newRows()
	grow := func(r *rows) {
		for _, t := range []struct{ row, task string }{{"chain", "1 1"}, {"tree", wide}} {
			begun := time.Now()
			ended(b, h, launch(b, h, "branch", t.task))
			r.add(t.row, time.Since(begun))
		}
	}
	grow(newRows())
	for range few(b) {
		grow(r)
	}
	require.Len(b, h.Delegations(), (few(b)+1)*(inWide+2))
	var f figures
	f.set("delegations", "per-s", inWide/r.quantile("tree", 0.5).Seconds())
	r.report(b, nil)
	f.report(b)
}

// task is one of the capsule widow.
func task(times int, capsule string) string { return fmt.Sprintf("%d %s", times, capsule) }
