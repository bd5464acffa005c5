package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func withProtected(paths ...string) option {
	return func(c *Config) {
		top := filepath.Dir(readlink(c.Preopens[0].FD))
		for name, text := range map[string]string{
			"work/a/keep/file": "kept", "work/a/keep/sub/deep": "deep", "work/a/beside": "free", "work/pinned.txt": "pinned",
		} {
			path := filepath.Join(top, name)
			if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o644) != nil {
				panic(path)
			}
		}
		c.Preopens[0].Protected = paths
	}
}

func readlink(fd int) string {
	where, e := location(fd)
	if e != Success {
		panic(e)
	}
	return where
}

func TestWhatIsProtectedCannotBeChangedWhateverLeadsToIt(t *testing.T) {
	t.Parallel()
	g := newGuest(t, withProtected("a/keep", "pinned.txt"))
	require.NoError(t, os.Link(filepath.Join(g.work, "pinned.txt"), filepath.Join(g.work, "alias.txt")))
	for link, target := range map[string]string{
		"tofile": "a/keep/file", "todir": "a/keep", "tonew": "a/keep/new", "topinned": "pinned.txt",
	} {
		require.Equal(t, Success, g.symlink(target, work, link))
	}
	g.create("mine")
	a, e := g.open(work, "a", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	keep, e := g.open(work, "todir", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	file, e := g.open(work, "a/keep/file", 0, uint64(rightRead), 0)
	require.Equal(t, Success, e)
	before := g.tree("work/a/keep") + g.tree("work/pinned.txt")

	times := func(dir uint64, path string) Errno {
		p, n := g.str(path)
		return g.call("path_filestat_set_times", dir, lookupFollow, p, n, 1, 1, setAtime|setMtime)
	}
	for what, e := range map[string]Errno{
		"unlink":                      g.at("path_unlink_file", work, "a/keep/file"),
		"unlink from within":          g.at("path_unlink_file", keep, "file"),
		"unlink of what is listed":    g.at("path_unlink_file", work, "pinned.txt"),
		"mkdir":                       g.at("path_create_directory", keep, "d"),
		"mkdir by a link":             g.at("path_create_directory", work, "todir/d"),
		"rmdir of what is listed":     g.at("path_remove_directory", work, "a/keep"),
		"rmdir on the way to it":      g.at("path_remove_directory", work, "a"),
		"rename of what is listed":    g.rename(a, "keep", work, "gone"),
		"rename on the way to it":     g.rename(work, "a", work, "b"),
		"rename over what is listed":  g.rename(work, "mine", work, "pinned.txt"),
		"rename of a file away":       g.rename(keep, "file", work, "stolen"),
		"rename into":                 g.rename(work, "mine", keep, "new"),
		"link out":                    g.link(keep, "file", work, "stolen"),
		"link of what is listed":      g.link(work, "pinned.txt", work, "stolen"),
		"link in":                     g.link(work, "mine", keep, "new"),
		"symlink in":                  g.symlink("x", keep, "new"),
		"times":                       times(keep, "file"),
		"times by a link":             times(work, "tofile"),
		"times of the folder":         g.call("fd_filestat_set_times", keep, 1, 1, setAtime|setMtime),
		"times of an open file":       g.call("fd_filestat_set_times", file, 1, 1, setMtimeNow),
		"times of a second name":      times(work, "alias.txt"),
		"unlink deeper by dots":       g.at("path_unlink_file", work, "a/keep/sub/../sub/deep"),
		"unlink deeper by two links":  g.at("path_unlink_file", work, "todir/../keep/sub/deep"),
		"rename of a folder within":   g.rename(keep, "sub", keep, "other"),
		"rename of a folder into":     g.rename(work, "out", keep, "out"),
		"a new file under its folder": errnoOfOpen(g.open(keep, "new", oCreat, allRights, 0)),
	} {
		require.Equal(t, ROFS, e, what)
	}
	for path, want := range map[string]Errno{
		"a/keep/file": ROFS, "tofile": ROFS, "topinned": ROFS, "todir/file": ROFS, "pinned.txt": ROFS, "alias.txt": ROFS, "tonew": Loop,
	} {
		for _, oflags := range []uint64{0, oTrunc, oCreat, oCreat | oTrunc} {
			if path == "tonew" && oflags&oCreat == 0 {
				continue
			}
			_, e := g.open(work, path, oflags, allRights, 0)
			require.Equal(t, want, e, "%s %d", path, oflags)
			_, e = g.open(work, path, oflags|oTrunc, uint64(rightRead), 0)
			require.Equal(t, want, e, "%s %d", path, oflags)
		}
	}
	require.Equal(t, before, g.tree("work/a/keep")+g.tree("work/pinned.txt"))
	require.NoFileExists(t, filepath.Join(g.work, "a/keep/new"))

	text, e := g.receive(file, 10)
	require.Equal(t, Success, e)
	require.Equal(t, "kept", text)
}

func errnoOfOpen(_ uint64, e Errno) Errno { return e }

func TestBesideWhatIsProtectedEverythingWorks(t *testing.T) {
	t.Parallel()
	g := newGuest(t, withProtected("a/keep", "pinned.txt"))
	_, e := g.open(work, "a/beside", oTrunc, allRights, 0)
	require.Equal(t, Success, e)
	fd, e := g.open(work, "a/new", oCreat, allRights, 0)
	require.Equal(t, Success, e)
	_, e = g.send(fd, "text")
	require.Equal(t, Success, e)
	require.Equal(t, "text", g.read("work/a/new"))
	_, e = g.open(work, "dir/", oCreat, allRights, 0)
	require.Equal(t, IsDir, e)
	require.Equal(t, Success, g.at("path_create_directory", work, "a/keeper"), "a name that only begins alike")
	require.Equal(t, Success, g.rename(work, "a/keeper", work, "a/kept"))
	require.Equal(t, Success, g.rename(work, "a/new", work, "a/keeper"))
	require.Equal(t, Success, g.at("path_unlink_file", work, "a/keeper"))
	require.Equal(t, Exist, errnoOfOpen(g.open(work, "pinned.txt", oCreat|oExcl, allRights, 0)))
	require.Equal(t, Success, errnoOfOpen(g.open(work, "pinned.txt", oCreat, uint64(rightRead), 0)))
}

// Closing the preopen does not end the protection of what was opened beneath it.
func TestProtectionOutlivesThePreopensDescriptor(t *testing.T) {
	t.Parallel()
	g := newGuest(t, withProtected("a/keep"))
	a, e := g.open(work, "a", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	require.Equal(t, Success, g.call("fd_close", work))
	require.Equal(t, ROFS, g.at("path_unlink_file", a, "keep/file"))
}

func TestOnlyWhatExistsAndIsNoLinkCanBeProtected(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "real/sub"), 0o755))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	for _, path := range []string{"none", "real/none", "link", "link/sub", "..", "../x"} {
		_, err := New(Config{Ctx: t.Context(), Preopens: []Preopen{
			{FD: openDir(t, dir), Name: ".", Protected: []string{"real", path}},
		}})
		require.ErrorContains(t, err, `wasi: preopen ".": protect "`+path, path)
	}
}

// Without a way to ask where a thing lies, nothing is changed.
func TestWhatCannotBeLocatedIsRefused(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	p, err := protect(openDir(t, dir), []string{"."})
	require.NoError(t, err)
	t.Cleanup(p.close)
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	require.Equal(t, ROFS, p.refuses(fd))
	require.NoError(t, unix.Close(fd))
	require.Equal(t, BadF, p.refuses(fd))
}
