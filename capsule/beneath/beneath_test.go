package beneath_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/internal/tempdir"
)

// hold makes a folder with a few entries, one outside it, and links from the one
// to the other.
func hold(tb testing.TB) (dir *beneath.Dir, outside string) {
	tb.Helper()
	inside := tempdir.New(tb)
	outside = tempdir.New(tb)
	require.NoError(tb, os.MkdirAll(filepath.Join(inside, "a/b"), 0o700))
	require.NoError(tb, os.WriteFile(filepath.Join(inside, "a/file"), []byte("text"), 0o600))
	require.NoError(tb, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	for name, target := range map[string]string{
		"link-out": filepath.Join(outside, "secret"), "link-dir": outside, "link-in": "a/file", "link-dir-in": "a",
		"link-dangling": "nowhere", "link-self": "link-self", "link-magic": "/proc/self/root",
	} {
		require.NoError(tb, os.Symlink(target, filepath.Join(inside, name)))
	}
	dir, err := beneath.Open(inside)
	require.NoError(tb, err)
	tb.Cleanup(func() { dir.Close() })
	return dir, outside
}

// calls is every way in, by name.
var calls = map[string]func(*beneath.Dir, string) error{
	"OpenFile": func(d *beneath.Dir, rel string) error {
		file, err := d.OpenFile(rel, unix.O_RDWR|unix.O_CREAT, 0o600)
		if err == nil {
			file.Close()
		}
		return err
	},
	"OpenRegular": func(d *beneath.Dir, rel string) error {
		file, err := d.OpenRegular(rel)
		if err == nil {
			file.Close()
		}
		return err
	},
	"ReadRegular": func(d *beneath.Dir, rel string) error { _, err := d.ReadRegular(rel, 100); return err },
	"Stat":        func(d *beneath.Dir, rel string) error { _, err := d.Stat(rel); return err },
	"Sub": func(d *beneath.Dir, rel string) error {
		sub, err := d.Sub(rel)
		if err == nil {
			sub.Close()
		}
		return err
	},
	"MkdirAll":  func(d *beneath.Dir, rel string) error { return d.MkdirAll(rel, 0o700) },
	"WriteFile": func(d *beneath.Dir, rel string) error { return d.WriteFile(rel, []byte("x"), 0o600) },
	"Remove":    func(d *beneath.Dir, rel string) error { return d.Remove(rel) },
	"RemoveAll": func(d *beneath.Dir, rel string) error { return d.RemoveAll(rel) },
}

func TestNamesThatAreNotPlainAreRefusedByEveryCall(t *testing.T) {
	t.Parallel()
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := hold(t)
			for _, rel := range []string{
				"", ".", "..", "/", "/etc", "../" + filepath.Base(outside) + "/secret", "a/../../x", "a/..", "./a", "a//file",
				"a/./file", "a/", "a/file/", "a\x00b", filepath.Join(outside, "secret"),
			} {
				err := call(dir, rel)
				require.ErrorIs(t, err, beneath.ErrName, "%q", rel)
				var located *fs.PathError
				require.ErrorAs(t, err, &located)
				assert.Equal(t, rel, located.Path)
			}
		})
	}
}

func TestALinkOnTheWayIsRefusedByEveryCall(t *testing.T) {
	t.Parallel()
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := hold(t)
			for _, rel := range []string{"link-dir/secret", "link-dir/new", "link-dir-in/file", "link-self/x", "link-magic/etc"} {
				require.ErrorIs(t, call(dir, rel), beneath.ErrLink, "%q", rel)
			}
			text, err := os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			assert.Equal(t, "secret", string(text))
			found, err := os.ReadDir(outside)
			require.NoError(t, err)
			assert.Len(t, found, 1)
		})
	}
}

func TestALinkAtTheEndIsRefusedByEveryCallThatWouldOpenIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"OpenFile", "OpenRegular", "ReadRegular", "Stat", "Sub", "MkdirAll"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := hold(t)
			for _, rel := range []string{"link-out", "link-dir", "link-in", "link-dir-in", "link-dangling", "link-self", "link-magic"} {
				require.ErrorIs(t, calls[name](dir, rel), beneath.ErrLink, "%q", rel)
			}
		})
	}
}

func TestALinkAtTheEndIsReplacedOrRemovedItself(t *testing.T) {
	t.Parallel()
	dir, outside := hold(t)
	require.NoError(t, dir.WriteFile("link-out", []byte("mine"), 0o600))
	require.NoError(t, dir.Remove("link-in"))
	require.NoError(t, dir.RemoveAll("link-dir"))
	require.NoError(t, dir.Remove("link-dir-in"))
	text, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	assert.Equal(t, "secret", string(text))
	text, err = dir.ReadRegular("link-out", 10)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
	assert.FileExists(t, filepath.Join(dir.Name(), "a/file"))
}

func TestAFileIsReadUpToItsLimit(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	for _, limit := range []int64{4, 5, 1 << 40} {
		text, err := dir.ReadRegular("a/file", limit)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
	}
	for _, limit := range []int64{0, 3} {
		_, err := dir.ReadRegular("a/file", limit)
		assert.ErrorIs(t, err, beneath.ErrTooLarge)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	require.NoError(t, unix.Mkfifo(filepath.Join(dir.Name(), "pipe"), 0o600))
	for _, rel := range []string{"pipe", "a"} {
		_, err := dir.ReadRegular(rel, 10)
		assert.ErrorIs(t, err, beneath.ErrNotRegular, rel)
	}
	_, err := dir.ReadRegular("missing", 10)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestErrorsDoNotTellTheHostsPath(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	for name, call := range calls {
		for _, rel := range []string{"link-dir/x", "missing/x/y", "a/file/x", "../x"} {
			if err := call(dir, rel); err != nil {
				assert.NotContains(t, err.Error(), dir.Name(), "%s %q", name, rel)
			}
		}
	}
}

func TestFoldersAreMadeAsFarAsTheyAreMissing(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	require.NoError(t, dir.MkdirAll("a/b/c/d", 0o700))
	require.NoError(t, dir.MkdirAll("a/b/c/d", 0o700))
	info, err := dir.Stat("a/b/c/d")
	require.NoError(t, err)
	assert.True(t, info.IsDir())
	assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	assert.ErrorIs(t, dir.MkdirAll("a/file/x", 0o700), unix.ENOTDIR)
}

func TestAFolderBeneathIsHeldOfItsOwn(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	sub, err := dir.Sub("a")
	require.NoError(t, err)
	defer sub.Close()
	assert.Equal(t, filepath.Join(dir.Name(), "a"), sub.Name())
	require.NoError(t, os.Rename(filepath.Join(dir.Name(), "a"), filepath.Join(dir.Name(), "moved")))
	require.NoError(t, sub.WriteFile("new", []byte("x"), 0o640))
	require.NoError(t, sub.Sync())
	info, err := dir.Stat("moved/new")
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode())
	names, err := sub.Names()
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "file", "new"}, names)
}

func TestADescriptorIsTakenOver(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	fd, err := unix.Dup(dir.FD())
	require.NoError(t, err)
	taken := beneath.FromFD(fd, "inherited")
	assert.Equal(t, "inherited", taken.Name())
	text, err := taken.ReadRegular("a/file", 10)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
	require.NoError(t, taken.Close())
	_, err = taken.ReadRegular("a/file", 10)
	assert.Error(t, err, "a closed folder opens nothing")
}

func TestAFileOpenedBeneathCanBeAppendedTo(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	for range 2 {
		file, err := dir.OpenFile("log", unix.O_WRONLY|unix.O_CREAT|unix.O_APPEND, 0o600)
		require.NoError(t, err)
		_, err = io.WriteString(file, "line\n")
		require.NoError(t, err)
		require.NoError(t, file.Close())
	}
	text, err := dir.ReadRegular("log", 100)
	require.NoError(t, err)
	assert.Equal(t, "line\nline\n", string(text))
}

func TestWhatIsOpenedIsNotInherited(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	file, err := dir.OpenRegular("a/file")
	require.NoError(t, err)
	defer file.Close()
	for _, fd := range []int{dir.FD(), int(file.Fd())} {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		require.NoError(t, err)
		assert.NotZero(t, flags&unix.FD_CLOEXEC)
	}
}

func TestThisKernelIsSupported(t *testing.T) {
	t.Parallel()
	assert.NoError(t, beneath.Supported())
}

func TestAFolderThatIsMissingIsNotHeld(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	for _, path := range []string{filepath.Join(dir.Name(), "missing"), filepath.Join(dir.Name(), "a/file")} {
		_, err := beneath.Open(path)
		assert.Error(t, err)
	}
}

func FuzzNoNameLeadsOutOfTheFolder(f *testing.F) {
	for _, seed := range []string{"a/file", "../x", "link-dir/secret", "a/../a/file", "a/b", "link-out", strings.Repeat("a/", 300)} {
		f.Add(seed)
	}
	dir, _ := hold(f)
	f.Fuzz(func(t *testing.T, rel string) {
		text, err := dir.ReadRegular(rel, 100)
		if err == nil {
			assert.Equal(t, "text", string(text))
			assert.Equal(t, "a/file", rel)
		}
	})
}
