package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestOpening(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.NoError(t, os.MkdirAll(filepath.Join(g.work, "d/sub"), 0o755))
	for link, to := range map[string]string{"to-f": "f", "to-d": "d", "dangling": "made-by-link", "loop": "loop"} {
		require.NoError(t, os.Symlink(to, filepath.Join(g.work, link)))
	}
	const r, w = uint64(rightRead), uint64(rightWrite)
	for _, c := range []struct {
		path                   string
		follow, oflags, rights uint64
		want                   Errno
		kind                   byte
	}{
		{"f", 0, 0, r, Success, typeRegular},
		{"f", 0, oCreat | oExcl, r, Exist, 0},
		{"f", 0, oDirectory, r, NotDir, 0},
		{"f/", 0, 0, r, NotDir, 0},
		{"f/x", 0, 0, r, NotDir, 0},
		{"none", 0, 0, r, NoEnt, 0},
		{"none", 0, oTrunc, w, NoEnt, 0},
		{"none/x", 0, oCreat, r, NoEnt, 0},
		{"new", 0, oCreat, r, Success, typeRegular},
		{"new2", 0, oCreat | oExcl, w, Success, typeRegular},
		{"new3/", 0, oCreat, r, IsDir, 0},
		{"d", 0, 0, r, Success, typeDirectory},
		{"d", 0, oDirectory, uint64(rightsOfDir), Success, typeDirectory},
		{"d", 0, oDirectory, r | w, IsDir, 0},
		{"d", 0, 0, w, IsDir, 0},
		{"d", 0, oTrunc, r, IsDir, 0},
		{"d", 0, oCreat | oExcl, r, Exist, 0},
		{"d/", 0, 0, r, Success, typeDirectory},
		{"d/sub/../../f", 0, 0, r, Success, typeRegular},
		{".", 0, 0, r, Success, typeDirectory},
		{"d/..", 0, 0, r, Success, typeDirectory},
		{"d//./sub", 0, 0, 0, Success, typeDirectory},
		{"to-f", 1, 0, r, Success, typeRegular},
		{"to-f", 0, 0, r, Loop, 0},
		{"to-f", 1, oCreat | oExcl, r, Exist, 0},
		{"to-d", 0, oDirectory, r, NotDir, 0},
		{"to-d", 1, oDirectory, r, Success, typeDirectory},
		{"to-d/sub", 0, 0, r, Success, typeDirectory},
		{"dangling", 1, 0, r, NoEnt, 0},
		{"dangling", 0, oCreat, r, Loop, 0},
		{"dangling", 1, oCreat | oExcl, r, Exist, 0},
		{"dangling", 1, oCreat, r, Success, typeRegular},
		{"loop", 1, 0, r, Loop, 0},
		{"loop", 1, oCreat, r, Loop, 0},
	} {
		g.write("work/f", "text")
		p, n := g.str(c.path)
		e := g.call("path_open", work, c.follow, p, n, c.oflags, c.rights, 0, 0, result)
		require.Equal(t, c.want, e, "%+v", c)
		if e != Success {
			continue
		}
		fd := uint64(g.u32(result))
		require.Equal(t, Success, g.call("fd_fdstat_get", fd, result))
		require.Equal(t, c.kind, g.mem[result], "%+v", c)
		require.Equal(t, Success, g.call("fd_close", fd))
	}
	require.Contains(t, names(t, g.work), "made-by-link")
	require.NotContains(t, names(t, g.work), "new3")
}

func TestTruncatingByOpening(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, rights := range []uint64{0, uint64(rightRead), uint64(rightWrite), allRights} {
		g.write("work/f", "text")
		fd, e := g.open(work, "f", oTrunc, rights, 0)
		require.Equal(t, Success, e)
		require.Empty(t, g.read("work/f"))
		_, e = g.send(fd, "x")
		require.Equal(t, rights&uint64(rightWrite) != 0, e == Success, "truncating gives no right to write")
	}
}

func TestModesOfWhatAGuestMakes(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.create("f")
	require.Equal(t, Success, g.at("path_create_directory", work, "d"))
	mask := unix.Umask(0o22)
	unix.Umask(mask)
	for name, want := range map[string]os.FileMode{"f": 0o644, "d": 0o755 | os.ModeDir} {
		i, err := os.Stat(filepath.Join(g.work, name))
		require.NoError(t, err)
		require.Equal(t, want&^os.FileMode(mask), i.Mode())
	}
}

func TestOpenRefusesBitsItDoesNotKnow(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	p, n := g.str("new")
	require.Equal(t, Inval, g.call("path_open", work, 2, p, n, oCreat, allRights, 0, 0, result))
	require.Equal(t, Inval, g.call("path_open", work, 0, p, n, oCreat|16, allRights, 0, 0, result))
	require.Equal(t, Inval, g.call("path_open", work, 0, p, n, oCreat, allRights, 0, 32, result))
	require.Equal(t, NotDir, g.call("path_open", 1, 0, p, n, oCreat, allRights, 0, 0, result))
	require.Equal(t, NotDir, g.call("path_open", g.create("f"), 0, p, n, oCreat, allRights, 0, 0, result))
	require.NotContains(t, names(t, g.work), "new")
}

func TestSyncFlagsReachTheKernel(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "")
	for flag, want := range map[uint64]int{fdDsync: unix.O_DSYNC, fdSyncAll: unix.O_SYNC, fdRsync: unix.O_SYNC, fdAppend: unix.O_APPEND, fdNonblock: 0} {
		fd, e := g.open(work, "f", 0, allRights, flag)
		require.Equal(t, Success, e)
		got, err := unix.FcntlInt(uintptr(g.h.files[fd].fd), unix.F_GETFL, 0)
		require.NoError(t, err)
		require.Equal(t, want, got&(unix.O_SYNC|unix.O_APPEND))
		require.Equal(t, Success, g.call("fd_fdstat_get", fd, result))
		require.Equal(t, flag, g.u64(result)>>16)
		if flag == fdDsync {
			require.Equal(t, Success, g.call("fd_fdstat_set_flags", fd, flag))
		}
	}
}

func TestRightsFollowFromWhatADescriptorIs(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "")
	rights := func(fd uint64) (base, inheriting uint64) {
		require.Equal(t, Success, g.call("fd_fdstat_get", fd, result))
		return g.u64(result + 8), g.u64(result + 16)
	}
	for _, want := range []uint64{0, uint64(rightRead), uint64(rightWrite), allRights} {
		fd, e := g.open(work, "f", 0, want|uint64(rightsOfFile), 0)
		require.Equal(t, Success, e)
		base, inheriting := rights(fd)
		require.Equal(t, want, base&allRights)
		require.Zero(t, inheriting)
		require.NotZero(t, base&uint64(rightSeek))
		require.Equal(t, want&uint64(rightWrite) != 0, base&uint64(rightFilestatSetSize) != 0)
	}
	for _, fd := range []uint64{work, frozen} {
		base, inheriting := rights(fd)
		require.Zero(t, base&uint64(rightSeek|rightFilestatSetSize|rightRead|rightWrite))
		require.Equal(t, allRights, inheriting&allRights, "so that C libraries ask for what they need")
	}
	for fd, want := range map[uint64]uint64{0: uint64(rightRead), 1: uint64(rightWrite), 2: uint64(rightWrite)} {
		base, _ := rights(fd)
		require.Equal(t, want, base&allRights)
		require.Zero(t, base&uint64(rightSeek|rightTell))
	}
	require.Equal(t, NotSup, g.call("fd_fdstat_set_rights", work, 0, 0))
}
