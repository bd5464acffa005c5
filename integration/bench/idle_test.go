package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// BenchmarkIdle is what workers take in memory that have nothing to do, with a small guest (a page of memory) and with a usual Go program:
// pss-MB is the mean share of each, further-MB what each one added to the sum since the row before. The supervisor's rows are its own memory
// while so many of them live.
func BenchmarkIdle(b *testing.B) {
	var f figures
	for _, guest := range []string{"wat", "go"} {
		steps := []int{1, 10, 50}
		if guest == "wat" {
			steps = append(steps, 200)
		}
		h := rig.Up(b, roomy())
		f.memory("supervisor-0", memoryOf(b, h.PID()))
		var before int
		var sumBefore int64
		for _, n := range steps {
			for range n - before {
				launch(b, h, "greet-"+guest, "")
			}
			row := fmt.Sprintf("%s-%d", guest, n)
			var rss, pss int64
			for _, pid := range atRest(b, h, n) {
				m := memoryOf(b, pid)
				rss, pss = rss+m.rss, pss+m.pss
			}
			f.set(row, "rss-MB", megabytes(rss/int64(n)))
			f.set(row, "pss-MB", megabytes(pss/int64(n)))
			f.set(row, "further-MB", megabytes((pss-sumBefore)/int64(n-before)))
			before, sumBefore = n, pss
		}
		if guest == "wat" {
			f.memory(fmt.Sprintf("supervisor-%d", before), memoryOf(b, h.PID()))
		}
		require.Zero(b, h.Stop())
	}
	f.report(b)
}

// atRest waits until that many workers run and have used no processor for a while, and returns their pids.
func atRest(b *testing.B, h *rig.Host, n int) (pids []int) {
	b.Helper()
	for _, s := range running(b, h, n) {
		pids = append(pids, int(s.GetPid()))
	}
	used, still := "", 0
	rig.Until(b, bound, "all workers rest", func() bool {
		now := ""
		for _, pid := range pids {
			now += ticks(b, pid) + " "
		}
		if still++; now != used {
			used, still = now, 0
		}
		return still == 20
	})
	return pids
}

// ticks is how much processor a process has used.
func ticks(b *testing.B, pid int) string {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	// utime and stime are the fields 14 and 15; the name in parentheses is the second and may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return fields[11] + "+" + fields[12]
}
