package wasi

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// most is what one call may allocate on the host, in bytes, whatever the guest asks for.
const most = 128 << 10

// A guest chooses lengths; the host's memory must not follow (GHSA-852m-cvvp-9p4w and
// GHSA-gqmc-89g8-p25r).
//
//nolint:paralleltest // it measures the process
func TestNoCallAllocatesWhatTheGuestAsksFor(t *testing.T) {
	g := newGuest(t, func(c *Config) { c.Stdout, c.Stderr = nil, nil })
	g.mem = make([]byte, 64<<20)
	for i := range 5000 {
		require.NoError(t, os.WriteFile(filepath.Join(g.work, fmt.Sprint("a-name-that-takes-some-room-", i)), nil, 0o600))
	}
	v, c := g.vec([2]uint32{4096, 48 << 20}, [2]uint32{4096, 48 << 20})
	file := g.create("file")
	for what, call := range map[string]func() Errno{
		"random":         func() Errno { return g.call("random_get", 4096, 32<<20) },
		"a listing":      func() Errno { return g.call("fd_readdir", work, 4096, 32<<20, 0, result) },
		"stdout":         func() Errno { return g.call("fd_write", 1, v, c, result) },
		"stderr":         func() Errno { return g.call("fd_write", 2, v, c, result) },
		"a file":         func() Errno { return g.call("fd_write", file, v, c, result) },
		"subscriptions":  func() Errno { g.call("poll_oneoff", 4096, 16<<20, 1<<20, result); return Success },
		"a path":         func() Errno { g.call("path_unlink_file", work, 4096, 32<<20); return Success },
		"a link":         func() Errno { g.call("path_symlink", 4096, 32<<20, work, 4096, 10); return Success },
		"reading a file": func() Errno { return g.call("fd_pread", file, v, c, 0, result) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.Equal(t, Success, call(), what)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most), what)
	}
}
