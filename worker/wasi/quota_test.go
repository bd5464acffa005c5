package wasi

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onDisk is what the quota should have charged, found by Measure.
func (g *guest) onDisk() [2]int64 {
	g.t.Helper()
	q := NewQuota(0, 0)
	fd, err := unix.Open(g.work, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(g.t, err)
	defer unix.Close(fd)
	require.NoError(g.t, q.Measure(g.t.Context(), fd))
	return [2]int64{q.bytes, q.names}
}

func used(q *Quota) [2]int64 {
	b, n := q.Used()
	return [2]int64{b, n}
}

func TestWritingStopsAtTheByteQuota(t *testing.T) {
	t.Parallel()
	q := NewQuota(1000, 0)
	g := newGuest(t, withQuota(q))
	text := string(make([]byte, 300))
	fd := g.create("f")
	for _, want := range []int{300, 300, 300, 100} {
		n, e := g.send(fd, text)
		require.Equal(t, Success, e)
		require.Equal(t, want, n, "what fits is written, as on a full disk")
	}
	_, e := g.send(fd, text)
	require.Equal(t, DQuot, e)
	require.Equal(t, []string{"fd_write  dquot"}, g.refuse)
	require.EqualValues(t, 1000, g.onDisk()[0])

	g.ok("fd_seek", fd, 500, seekSet, result)
	n, e := g.send(fd, text)
	require.Equal(t, Success, e)
	require.Equal(t, 300, n, "overwriting costs nothing")
	require.Equal(t, DQuot, g.call("fd_filestat_set_size", fd, 1001))
	require.Equal(t, DQuot, g.call("fd_allocate", fd, 900, 101))
	require.Equal(t, Success, g.call("fd_allocate", fd, 900, 100))
	require.Equal(t, DQuot, g.symlink("f", work, "l"), "a link has a length too")
	require.Equal(t, Success, g.call("fd_filestat_set_size", fd, 900))
	require.Equal(t, Success, g.call("fd_filestat_set_size", fd, 950))
	require.Equal(t, Success, g.symlink("f", work, "l"))
	require.Equal(t, [2]int64{951, 2}, used(q))
	require.Equal(t, g.onDisk(), used(q))
}

func TestEveryWayToAddBytesIsCharged(t *testing.T) {
	t.Parallel()
	q := NewQuota(1<<20, 0)
	g := newGuest(t, withQuota(q))
	a := g.create("a")
	g.send(a, "12345")
	v, c := g.vec([2]uint32{0, 10})
	require.Equal(t, Success, g.call("fd_pwrite", a, v, c, 5000, result))
	require.Equal(t, g.onDisk(), used(q))
	b, e := g.open(work, "a", 0, allRights, fdAppend)
	require.Equal(t, Success, e)
	g.send(b, "tail")
	g.ok("fd_seek", b, 0, seekSet, result)
	g.send(b, "tail")
	require.Equal(t, g.onDisk(), used(q))
	require.Equal(t, Success, g.call("fd_filestat_set_size", a, 10))
	g.send(b, "more")
	g.ok("fd_seek", a, 0, seekEnd, result)
	g.send(a, "end")
	require.Equal(t, [2]int64{17, 1}, used(q))
	require.Equal(t, Success, g.call("fd_fdstat_set_flags", a, fdAppend))
	require.Equal(t, Success, g.call("fd_pwrite", a, v, c, 0, result), "Linux appends")
	require.Equal(t, g.onDisk(), used(q))
	require.Equal(t, Success, g.call("fd_fdstat_set_flags", a, 0))
	require.Equal(t, Success, g.call("fd_pwrite", a, v, c, 0, result))
	require.Equal(t, [2]int64{27, 1}, used(q))
	g.create("a")
	require.Equal(t, [2]int64{0, 1}, used(q), "truncated by opening")
	require.Equal(t, g.onDisk(), used(q))
}

func TestNamesAreCountedAndGivenBack(t *testing.T) {
	t.Parallel()
	q := NewQuota(0, 4)
	g := newGuest(t, withQuota(q))
	g.create("f")
	require.Equal(t, Success, g.at("path_create_directory", work, "d"))
	require.Equal(t, Success, g.link(work, "f", work, "d/g"))
	require.Equal(t, Success, g.symlink("f", work, "s"))
	for what, e := range map[string]Errno{
		"mkdir": g.at("path_create_directory", work, "x"), "symlink": g.symlink("f", work, "x"), "link": g.link(work, "f", work, "x"),
	} {
		require.Equal(t, DQuot, e, what)
	}
	for _, oflags := range []uint64{oCreat, oCreat | oExcl, oCreat | oTrunc} {
		_, e := g.open(work, "x", oflags, allRights, 0)
		require.Equal(t, DQuot, e)
	}
	_, e := g.open(work, "f", oCreat, allRights, 0)
	require.Equal(t, Success, e, "it is there")
	require.Equal(t, [2]int64{1, 4}, used(q), "a link's one byte")
	require.Equal(t, Success, g.rename(work, "f", work, "s"))
	require.Equal(t, [2]int64{0, 3}, used(q))
	require.Equal(t, Success, g.rename(work, "s", work, "d/g"), "two names of one file: nothing happens")
	require.Equal(t, [2]int64{0, 3}, used(q))
	require.Equal(t, Success, g.at("path_unlink_file", work, "d/g"))
	require.Equal(t, NoEnt, g.at("path_unlink_file", work, "d/g"))
	require.Equal(t, Success, g.at("path_remove_directory", work, "d/"))
	require.Equal(t, [2]int64{0, 1}, used(q))
	require.Equal(t, Success, g.at("path_create_directory", work, "d1"))
	require.Equal(t, Success, g.at("path_create_directory", work, "d2"))
	require.Equal(t, Success, g.rename(work, "d1/", work, "d2/"))
	require.Equal(t, g.onDisk(), used(q))
}

func TestAFileWithoutANameIsChargedUntilItsLastDescriptorCloses(t *testing.T) {
	t.Parallel()
	q := NewQuota(1000, 100)
	g := newGuest(t, withQuota(q))
	fill := string(make([]byte, 400))
	var open []uint64
	for i := range 2 {
		fd := g.create("f")
		g.send(fd, fill)
		open = append(open, fd)
		if i == 0 {
			require.Equal(t, Success, g.at("path_unlink_file", work, "f"))
		}
	}
	g.create("other")
	require.Equal(t, Success, g.rename(work, "other", work, "f"), "replaced while open")
	require.Equal(t, [2]int64{800, 1}, used(q))
	fd := g.create("third")
	n, _ := g.send(fd, fill)
	require.Equal(t, 200, n)
	require.Equal(t, Success, g.call("fd_close", open[0]))
	require.Equal(t, [2]int64{600, 2}, used(q))
	require.Equal(t, Success, g.call("fd_renumber", fd, open[1]))
	require.Equal(t, [2]int64{200, 2}, used(q))
	require.Equal(t, g.onDisk(), used(q))
}

func TestAFileWithTwoNamesKeepsItsBytesUntilTheLastGoes(t *testing.T) {
	t.Parallel()
	q := NewQuota(1000, 100)
	g := newGuest(t, withQuota(q))
	fd := g.create("f")
	g.send(fd, "0123456789")
	require.Equal(t, Success, g.call("fd_close", fd))
	require.Equal(t, Success, g.link(work, "f", work, "g"))
	require.Equal(t, Success, g.at("path_unlink_file", work, "f"))
	require.Equal(t, [2]int64{10, 1}, used(q))
	require.Equal(t, Success, g.at("path_unlink_file", work, "g"))
	require.Equal(t, [2]int64{0, 0}, used(q))
}

func TestClosingTheHostGivesBackFilesWithoutNames(t *testing.T) {
	t.Parallel()
	q := NewQuota(1000, 100)
	dir := scratch(t)
	h, err := New(Config{Ctx: t.Context(), Preopens: []Preopen{{FD: openDir(t, dir), Name: ".", Quota: q}}})
	require.NoError(t, err)
	g := &guest{t: t, h: h, mem: make([]byte, 1<<16), next: 1024}
	g.send(g.create("f"), "0123456789")
	require.Equal(t, Success, g.at("path_unlink_file", work, "f"))
	require.EqualValues(t, 10, q.bytes)
	require.NoError(t, h.Close())
	require.Equal(t, [2]int64{0, 0}, used(q))
	require.Empty(t, q.open)
}

func TestOthersWorkIsNoticedWhenTheFileIsOpened(t *testing.T) {
	t.Parallel()
	q := NewQuota(1000, 100)
	g := newGuest(t, withQuota(q))
	g.send(g.create("f"), "0123456789")
	g.write("work/f", "01234567890123456789")
	_, e := g.open(work, "f", 0, uint64(rightRead), 0)
	require.Equal(t, Success, e)
	require.Equal(t, [2]int64{20, 1}, used(q))
}

func TestMeasureCountsNamesAndBytesOnceAndFollowsNothing(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	deep := dir
	for i := range 20 {
		deep = filepath.Join(deep, fmt.Sprint("d", i))
		require.NoError(t, os.MkdirAll(filepath.Join(deep, "side"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(deep, "side", "f"), make([]byte, 10), 0o644))
	}
	require.NoError(t, os.Link(filepath.Join(deep, "side", "f"), filepath.Join(dir, "again")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	q := NewQuota(0, 0)
	fd := openDir(t, dir)
	require.NoError(t, q.Measure(t.Context(), fd))
	require.Equal(t, [2]int64{20*10 + 4, 20*3 + 2}, used(q))
	require.NoError(t, q.Measure(t.Context(), fd))
	require.Equal(t, [2]int64{20*10 + 4, 20*3 + 2}, used(q), "it replaces what was charged")
}
