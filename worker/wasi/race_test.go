package wasi

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// swaps is how often the ground is pulled away under each of the calls below: enough
// to hit the window of a check-then-use thousands of times in a second.
const swaps = 2000

// swapping exchanges two names until stop is closed.
func swapping(t *testing.T, dir, a, b string) (stop func()) {
	t.Helper()
	done, finished := make(chan struct{}), sync.WaitGroup{}
	fd := openDir(t, dir)
	finished.Add(1)
	go func() {
		defer finished.Done()
		for {
			select {
			case <-done:
				return
			default:
				_ = unix.Renameat2(fd, a, fd, b, unix.RENAME_EXCHANGE)
			}
		}
	}()
	return func() { close(done); finished.Wait() }
}

func TestSwappingADirectoryForALinkOutNeverLeadsOutside(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("out/f", "SECRET")
	g.write("out/outer", "")
	g.write("work/d/f", "inside")
	require.NoError(t, os.Symlink("../out", filepath.Join(g.work, "e")))
	before := g.tree("out")
	stop := swapping(t, g.work, "d", "e")
	inside := 0
	for range swaps {
		if fd, e := g.open(work, "d/f", 0, allRights, 0); e == Success {
			text, e := g.receive(fd, 10)
			require.Equal(t, Success, e)
			require.Equal(t, "inside", text)
			require.Equal(t, Success, g.call("fd_close", fd))
			inside++
		}
		if fd, e := g.open(work, "d", oDirectory, 0, 0); e == Success {
			require.NotContains(t, sorted(g.list(fd, 4096)), "outer")
			require.Equal(t, Success, g.call("fd_close", fd))
		}
		if g.stat(work, 1, "d/f") == Success {
			require.EqualValues(t, 6, g.u64(result+32))
		}
		g.create("x")
		require.Equal(t, Success, g.call("fd_close", frozen+1))
		g.rename(work, "x", work, "d/stolen")
		g.at("path_unlink_file", work, "d/stolen")
		g.at("path_create_directory", work, "d/new")
		g.at("path_remove_directory", work, "d/new")
		g.open(work, "d/f2", oCreat|oTrunc, 0, 0)
		g.call("fd_close", frozen+1)
		g.at("path_unlink_file", work, "d/f2")
	}
	stop()
	require.NotZero(t, inside)
	require.Equal(t, before, g.tree("out"))
}

func TestMovingADirectoryAwayUnderDotDotNeverLeadsOutside(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.NoError(t, os.MkdirAll(filepath.Join(g.work, "a/b/c"), 0o755))
	g.write("work/a/secret", "inside")
	done, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		from, to := filepath.Join(g.work, "a/b/c"), filepath.Join(g.work, "c")
		for {
			select {
			case <-done:
				return
			default:
				_ = os.Rename(from, to)
				_ = os.Rename(to, from)
			}
		}
	}()
	for range swaps {
		// From c this climbs to a while c is in its place, and out of the preopen while it
		// lies in the root.
		if fd, e := g.open(work, "a/b/c/../../secret", 0, uint64(rightRead), 0); e == Success {
			text, _ := g.receive(fd, 10)
			require.Equal(t, "inside", text)
			require.Equal(t, Success, g.call("fd_close", fd))
		}
		dir, e := g.open(work, "a/b/c", oDirectory, 0, 0)
		if e != Success {
			continue
		}
		for _, path := range []string{"..", "../..", "../../secret", "../../../secret"} {
			_, e := g.open(dir, path, 0, uint64(rightRead), 0)
			require.Equal(t, NotCapable, e, "a descriptor leads down only")
		}
		require.Equal(t, Success, g.call("fd_close", dir))
	}
	close(done)
	<-finished
}
