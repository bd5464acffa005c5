package wasi

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// held counts this process's descriptors that lead below a folder.
func held(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, d := range list {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

func TestDescriptorsAreBoundedAndTheLowestIsUsed(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "")
	for want := uint64(frozen + 1); want < maxFiles; want++ {
		fd, e := g.open(work, "f", 0, uint64(rightRead), 0)
		require.Equal(t, Success, e)
		require.Equal(t, want, fd)
	}
	_, e := g.open(work, "new", oCreat, uint64(rightRead), 0)
	require.Equal(t, MFile, e)
	require.NotContains(t, names(t, g.work), "new", "refused before it is made")
	for _, fd := range []uint64{700, 30} {
		require.Equal(t, Success, g.call("fd_close", fd))
		require.Equal(t, BadF, g.call("fd_close", fd))
	}
	fd, e := g.open(work, "f", 0, uint64(rightRead), 0)
	require.Equal(t, Success, e)
	require.EqualValues(t, 30, fd)
}

func TestCloseLeavesNoDescriptorOpen(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	pre := openDir(t, dir)
	h, err := New(Config{Ctx: t.Context(), Preopens: []Preopen{{FD: pre, Name: "."}}})
	require.NoError(t, err)
	g := &guest{t: t, h: h, mem: make([]byte, 1<<16), next: 1024}
	require.Equal(t, Success, g.at("path_create_directory", work, "d"))
	for i := range 10 {
		g.create(fmt.Sprint("d/f", i))
		_, e := g.open(work, "d", oDirectory, 0, 0)
		require.Equal(t, Success, e)
	}
	for _, path := range []string{"d/f1/x", "d/none/x", "d/..", "../x", "d/f1/"} {
		g.open(work, path, oTrunc, allRights, 0)
		g.at("path_unlink_file", work, path)
		g.stat(work, lookupFollow, path)
		g.rename(work, path, work, path)
	}
	g.list(work, 4096)
	require.Equal(t, 20, held(t, dir+"/d"))
	require.Equal(t, Success, g.call("fd_renumber", 6, 7))
	require.Equal(t, 19, held(t, dir+"/d"))
	require.NoError(t, h.Close())
	require.Equal(t, 1, held(t, dir), "the preopen itself")
	require.Equal(t, BadF, g.call("fd_fdstat_get", work, result), "nothing is left to use")
	var st unix.Stat_t
	require.NoError(t, unix.Fstat(pre, &st), "the caller's descriptor stays the caller's")
}

func TestRenumberMovesAnOpenNumberOntoAnother(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	a, b := g.create("a"), g.create("b")
	require.Equal(t, Success, g.call("fd_renumber", a, a))
	g.send(a, "to a")
	require.Equal(t, Success, g.call("fd_renumber", a, b))
	_, e := g.send(a, "x")
	require.Equal(t, BadF, e)
	_, e = g.send(b, ", still to a")
	require.Equal(t, Success, e)
	require.Equal(t, "to a, still to a", g.read("work/a"))
	require.Empty(t, g.read("work/b"))

	for _, to := range []uint64{a, b + 1, maxFiles - 1, maxFiles, 1 << 20, 1 << 31, 1<<32 - 1} {
		require.Equal(t, BadF, g.call("fd_renumber", b, to), "onto %d, which is not open", to)
		require.Equal(t, BadF, g.call("fd_renumber", to, b), "from %d, which is not open", to)
	}
	require.LessOrEqual(t, len(g.h.files), int(b)+1, "the table has not grown")
	require.Equal(t, Success, g.call("fd_renumber", b, 1), "stdout")
	g.send(1, "!")
	require.Equal(t, "to a, still to a!", g.read("work/a"))
}

func TestAPreopenCanBeClosedAndMoved(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.Equal(t, Success, g.call("fd_renumber", work, 0))
	require.Equal(t, BadF, g.at("path_create_directory", work, "d"))
	require.Equal(t, Success, g.at("path_create_directory", 0, "d"))
	require.Equal(t, Success, g.call("fd_prestat_get", 0, result))
	require.Equal(t, Success, g.call("fd_close", frozen))
	require.Equal(t, BadF, g.call("fd_prestat_get", frozen, result))
}

func TestPreopensTellTheirNames(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for fd, want := range map[uint64]string{work: ".", frozen: "murmur-runtime"} {
		copy(g.mem[result:], "\xff\xff\xff\xff\xff\xff\xff\xff")
		g.ok("fd_prestat_get", fd, result)
		require.Equal(t, uint64(len(want))<<32, g.u64(result))
		buf := g.put(make([]byte, 32))
		require.Equal(t, Success, g.call("fd_prestat_dir_name", fd, buf, uint64(len(want))))
		require.Equal(t, want+"\x00", string(g.mem[buf:int(buf)+len(want)+1]))
		require.Equal(t, NameTooLong, g.call("fd_prestat_dir_name", fd, buf, uint64(len(want)-1)))
	}
	dir, e := g.open(work, ".", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	for _, fd := range []uint64{0, 1, 2, dir} {
		require.Equal(t, BadF, g.call("fd_prestat_get", fd, result))
		require.Equal(t, BadF, g.call("fd_prestat_dir_name", fd, result, 100))
	}
}
