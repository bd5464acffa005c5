package bench

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// memory is what a process takes, in bytes: what it has in memory, its proportional share of that, what of it is no file's, and the most
// that it ever had.
type memory struct{ rss, pss, anonymous, peak int64 }

func memoryOf(b *testing.B, pid int) memory {
	b.Helper()
	rollup, status := fmt.Sprintf("/proc/%d/smaps_rollup", pid), fmt.Sprintf("/proc/%d/status", pid)
	return memory{
		rss: kibibytes(b, rollup, "Rss:"), pss: kibibytes(b, rollup, "Pss:"), anonymous: kibibytes(b, status, "RssAnon:"),
		peak: kibibytes(b, status, "VmHWM:"),
	}
}

// kibibytes reads a line of a file of proc(5) that ends in "kB", which there means KiB.
func kibibytes(b *testing.B, path, line string) int64 {
	b.Helper()
	text, err := os.ReadFile(path)
	require.NoError(b, err)
	for l := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(l, []byte(line)); ok {
			var n int64
			_, err := fmt.Sscanf(string(rest), "%d kB", &n)
			require.NoError(b, err, "%s: %s", path, l)
			return n << 10
		}
	}
	b.Fatalf("%s has no %s", path, line)
	return 0
}

// forgetPeak lets a process's peak begin anew from what it has now.
func forgetPeak(b *testing.B, pid int) {
	b.Helper()
	require.NoError(b, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o200))
}
