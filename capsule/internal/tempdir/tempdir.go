// Package tempdir gives this folder's tests a short-lived folder of their own.
// testing.T's own has a path too long for a socket beneath it.
package tempdir

import (
	"os"
	"testing"
)

// New makes a folder that is removed when the test ends.
func New(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
