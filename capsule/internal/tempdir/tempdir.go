package tempdir

import (
	"os"
	"testing"
)

// New makes a folder that is removed when the test ends.
func New(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "rk")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return dir
}
