package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestAReadOnlyPreopenCannotBeChangedByAnyCall(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("ro/link-target", "x")
	require.NoError(t, os.Symlink("task.md", filepath.Join(g.ro, "link")))
	require.NoError(t, os.Chmod(filepath.Join(g.ro, "task.md"), 0o666)) // modes would allow it
	before := g.tree("ro")
	g.create("mine")
	sub, e := g.open(frozen, "sub", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	file, e := g.open(frozen, "task.md", 0, uint64(rightRead), 0)
	require.Equal(t, Success, e)

	for _, dir := range []uint64{frozen, sub} {
		name := "task.md"
		if dir == sub {
			name = "deep"
		}
		p, n := g.str(name)
		for what, e := range map[string]Errno{
			"unlink":            g.at("path_unlink_file", dir, name),
			"mkdir":             g.at("path_create_directory", dir, "d"),
			"rmdir":             g.at("path_remove_directory", dir, "sub"),
			"rename away":       g.rename(dir, name, work, "stolen"),
			"rename within":     g.rename(dir, name, dir, "other"),
			"rename onto":       g.rename(work, "mine", dir, name),
			"rename into":       g.rename(work, "mine", dir, "new"),
			"link out":          g.link(dir, name, work, "alias"),
			"link in":           g.link(work, "mine", dir, "alias"),
			"link within":       g.link(dir, name, dir, "alias"),
			"symlink":           g.symlink("mine", dir, "alias"),
			"times":             g.call("path_filestat_set_times", dir, 0, p, n, 1, 1, setAtime|setMtime),
			"times of the dir":  g.call("fd_filestat_set_times", dir, 1, 1, setAtime|setMtime),
			"times of the file": g.call("fd_filestat_set_times", file, 1, 1, setMtimeNow),
		} {
			require.Equal(t, ROFS, e, what)
		}
		for _, c := range []struct {
			path           string
			oflags, rights uint64
			want           Errno
		}{
			{name, 0, uint64(rightWrite), ROFS}, {name, 0, allRights, ROFS}, {name, oTrunc, uint64(rightRead), ROFS},
			{"new", oCreat, uint64(rightRead), ROFS}, {"new", oCreat | oExcl, 0, ROFS}, {name, oCreat | oExcl, 0, Exist},
			{name, oCreat, uint64(rightRead), Success}, {"new", 0, uint64(rightRead), NoEnt},
		} {
			_, e := g.open(dir, c.path, c.oflags, c.rights, 0)
			require.Equal(t, c.want, e, "%+v", c)
		}
	}
	_, e = g.open(frozen, "link", 0, allRights, 0)
	require.Equal(t, ROFS, e)

	_, e = g.send(file, "x")
	require.Equal(t, BadF, e)
	require.Equal(t, BadF, g.call("fd_filestat_set_size", file, 0))
	require.Equal(t, BadF, g.call("fd_allocate", file, 0, 100))
	require.Equal(t, Success, g.call("fd_fdstat_set_flags", file, fdAppend))
	_, e = g.send(file, "x")
	require.Equal(t, BadF, e)

	text, e := g.receive(file, 100)
	require.Equal(t, Success, e)
	require.Equal(t, "the task", text)
	require.Equal(t, before, g.tree("ro"))
	require.Contains(t, g.refuse, "path_unlink_file task.md rofs")
}

// A second descriptor of the same folder, moved onto the number of the writable one,
// is still read-only.
func TestReadOnlyFollowsTheDescriptorThroughRenumbering(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	require.Equal(t, Success, g.call("fd_renumber", frozen, work))
	require.Equal(t, ROFS, g.at("path_unlink_file", work, "task.md"))
	require.Equal(t, BadF, g.at("path_unlink_file", frozen, "task.md"))
	require.Equal(t, "the task", g.read("ro/task.md"))
}

func TestNoDescriptorOfAReadOnlyFileCanWriteAtTheKernel(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, oflags := range []uint64{0, oCreat} {
		fd, e := g.open(frozen, "task.md", oflags, uint64(rightRead), 0)
		require.Equal(t, Success, e)
		flags, err := unix.FcntlInt(uintptr(g.h.files[fd].fd), unix.F_GETFL, 0)
		require.NoError(t, err)
		require.Equal(t, unix.O_RDONLY, flags&unix.O_ACCMODE)
	}
}

func TestRenameAndLinkDoNotCrossPreopens(t *testing.T) {
	t.Parallel()
	g := newGuest(t, func(c *Config) {
		c.Preopens = append(c.Preopens, Preopen{FD: openDir(t, scratch(t)), Name: "data"})
	})
	g.create("f")
	require.Equal(t, XDev, g.rename(work, "f", frozen+1, "f"))
	require.Equal(t, XDev, g.link(work, "f", frozen+1, "f"))
}
