package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// escapes are paths that lead out of the work folder, with links made from outside.
// The verdict of these tests is what is on disk there, not the code.
func escapes(t *testing.T, g *guest) []string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(g.work, "a/b"), 0o755))
	for link, target := range map[string]string{
		"abs":     filepath.Join(g.top, "secret"),
		"absdir":  g.top,
		"rel":     "../secret",
		"reldir":  "..",
		"a/b/far": "../../../secret",
		"chain":   "reldir/secret",
		"slash":   "../",
		"proc":    "/proc/self/root",
		"procfd":  "/proc/self/fd/0",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(g.work, link)))
	}
	// Should a path lead out after all, it leads to what this test has made: the tests may
	// run as root.
	return []string{
		"../secret", "a/../../secret", "a/b/../../../secret", "./../secret", "a/./../../secret", "a//../..//secret",
		filepath.Join(g.top, "secret"), "/" + g.top + "/secret", g.top, "..", "../", "../.", "a/../..", "../work/../secret",
		"abs", "rel", "a/b/far", "chain", "reldir/secret", "absdir/secret", "slash/secret", "slash/", "reldir/", "absdir/",
		"proc" + g.top + "/secret", "procfd", "reldir/new", "absdir/new", "../new", "a/../../new",
	}
}

func TestNoPathLeavesThePreopen(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	paths := escapes(t, g)
	require.NoError(t, os.Symlink("secret", filepath.Join(g.top, "link")))
	outside := func() string { return g.tree("secret") + g.tree("ro") + names(t, g.top) }
	before := outside()
	g.create("mine")
	require.Equal(t, Success, g.at("path_create_directory", work, "dir"))
	for _, path := range paths {
		for _, rights := range []uint64{0, uint64(rightRead), uint64(rightWrite), allRights} {
			for oflags := range uint64(16) {
				if fd, e := g.open(work, path, oflags, rights, 0); e == Success {
					require.Failf(t, "opened", "%s oflags %d rights %d: descriptor %d", path, oflags, rights, fd)
				}
			}
		}
		p, n := g.str(path)
		require.NotEqual(t, Success, g.stat(work, lookupFollow, path), path)
		require.NotEqual(t, Success, g.call("path_filestat_set_times", work, lookupFollow, p, n, 1, 1, setAtime|setMtime), path)
		for _, e := range []Errno{
			g.rename(work, "mine", work, path+"/mine"), g.rename(work, path+"/secret", work, "stolen"),
			g.link(work, "mine", work, path+"/mine"), g.link(work, path+"/secret", work, "stolen"),
			g.symlink("mine", work, path+"/link"), g.at("path_create_directory", work, path+"/dir"),
			g.at("path_remove_directory", work, path+"/ro"), g.at("path_unlink_file", work, path+"/secret"),
		} {
			require.NotEqual(t, Success, e, path)
		}
		p, n = g.str(path + "/link")
		require.NotEqual(t, Success, g.call("path_readlink", work, p, n, g.put(make([]byte, 64)), 64, result), path)
	}
	require.Equal(t, before, outside())
	require.NotEmpty(t, g.refuse)
}

func names(t *testing.T, dir string) (s string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, d := range list {
		s += d.Name() + "\n"
	}
	return s
}

func TestDotDotAsANameIsRefusedWhereAnAtCallWouldLeave(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.create("f")
	require.Equal(t, Success, g.at("path_create_directory", work, "d"))
	before := names(t, g.top)
	for _, path := range []string{"..", "../", ".", "./", "d/..", "d/.", "d/../.."} {
		for _, e := range []Errno{
			g.at("path_create_directory", work, path), g.at("path_remove_directory", work, path),
			g.at("path_unlink_file", work, path), g.rename(work, "f", work, path), g.rename(work, path, work, "x"),
			g.link(work, "f", work, path), g.link(work, path, work, "x"), g.symlink("f", work, path),
		} {
			require.Contains(t, []Errno{Inval, NotCapable}, e, path)
		}
	}
	require.Equal(t, before, names(t, g.top))
}

func TestAPathMustBeTextWithoutNULAndOfBoundedLength(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	long := make([]byte, maxPath+1)
	for i := range long {
		long[i] = 'a'
	}
	for path, want := range map[string]Errno{
		"": NoEnt, "a\x00b": Inval, "\x00": Inval, "\xff": IlSeq, "ok/\xc3": IlSeq, string(long): NameTooLong,
		string(long[:256]): NameTooLong, "/": NotCapable, "/etc/passwd": NotCapable,
	} {
		_, e := g.open(work, path, oCreat, allRights, 0)
		require.Equal(t, want, e, "%.10q", path)
		require.Equal(t, want, g.at("path_create_directory", work, path), "%.10q", path)
		require.Equal(t, want, g.stat(work, 0, path), "%.10q", path)
	}
}

func TestALinkThatWouldLeaveIsNotMade(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, d := range []string{"a", "a/b", "a/b/c"} {
		require.Equal(t, Success, g.at("path_create_directory", work, d))
	}
	for _, c := range []struct {
		target, path string
		want         Errno
	}{
		{"f", "l1", Success}, {"a/b/f", "l2", Success}, {"./f", "l3", Success}, {"../f", "a/l4", Success},
		{"../../f", "a/b/l5", Success}, {".././../f", "a/b/l6", Success}, {"..", "a/l7", Success},
		{"../f", "a/../a/l8", Success}, {"does/not/exist", "l9", Success}, {"..f", "l10", Success},
		{"/etc/passwd", "x", NotCapable}, {"/", "x", NotCapable}, {"..", "x", NotCapable}, {"../x", "x", NotCapable},
		{"../../x", "a/x", NotCapable}, {"a/../../x", "x", NotCapable}, {"a/../f", "l11", Success},
		{".//../x", "x", NotCapable}, {"../../x", "a/b/../x", NotCapable}, {"../../../f", "a/b/x", NotCapable},
		{"../a/../../f", "a/x", NotCapable}, {"", "x", NoEnt}, {"f", "", NoEnt}, {"f\x00", "x", Inval}, {"\xff", "x", IlSeq},
		{"f", "missing/x", NoEnt}, {"f", "a", Exist}, {"f", "a/", Exist}, {"f", "l1/", NotDir}, {"f", "new/", NoEnt},
	} {
		require.Equal(t, c.want, g.symlink(c.target, work, c.path), "%q at %q", c.target, c.path)
		if c.want == Success {
			got, err := os.Readlink(filepath.Join(g.work, c.path))
			require.NoError(t, err)
			require.Equal(t, c.target, got)
		}
	}
	sub, e := g.open(work, "a/b", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	require.Equal(t, NotCapable, g.symlink("../f", sub, "x"), "depth counts from the descriptor that is used")
}

func TestDevicesAreRefusedWhoeverPutThemThere(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	if err := unix.Mknod(filepath.Join(g.work, "null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
		require.ErrorIs(t, err, unix.EPERM) // without the right to make one, the system's own does
		g.h.files[work] = &file{fd: openDir(t, "/dev"), kind: directory, root: g.h.files[work].root, preopen: true, scan: -1}
	}
	for _, rights := range []uint64{0, uint64(rightRead), allRights} {
		_, e := g.open(work, "null", 0, rights, 0)
		require.Equal(t, NotCapable, e)
	}
	require.Equal(t, Success, g.stat(work, 0, "null"), "it can be looked at")
	require.EqualValues(t, typeCharacter, g.mem[result+16])
	require.Contains(t, g.refuse, "path_open null notcapable")
}

func TestASocketFileCannotBeOpened(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	require.NoError(t, unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(g.work, "sock")}))
	_, e := g.open(work, "sock", 0, allRights, 0)
	require.Equal(t, NXIO, e)
	require.Equal(t, Success, g.stat(work, 0, "sock"))
	require.EqualValues(t, typeSocket, g.mem[result+16])
}
