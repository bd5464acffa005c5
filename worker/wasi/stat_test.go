package wasi

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestStatTellsWhatIsThereAndNothingElse(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "12345")
	require.NoError(t, os.Link(filepath.Join(g.work, "f"), filepath.Join(g.work, "again")))
	when := time.Unix(1700000000, 123456789)
	require.NoError(t, os.Chtimes(filepath.Join(g.work, "f"), when.Add(time.Second), when))
	var st unix.Stat_t
	require.NoError(t, unix.Stat(filepath.Join(g.work, "f"), &st))
	fd, e := g.open(work, "f", 0, 0, 0)
	require.Equal(t, Success, e)
	for range 2 {
		for i := range g.mem[result : result+sizeOfFilestat] {
			g.mem[result+i] = 0xee
		}
		require.Equal(t, Success, g.call("fd_filestat_get", fd, result))
		want := []uint64{1, st.Ino, typeRegular, 2, 5, uint64(when.Add(time.Second).UnixNano()), uint64(when.UnixNano()), uint64(st.Ctim.Nano())}
		for i, w := range want {
			require.Equal(t, w, g.u64(result+uint32(8*i)), "field %d", i)
		}
	}
	for fd := range uint64(3) {
		require.Equal(t, Success, g.call("fd_filestat_get", fd, result))
		require.Equal(t, make([]byte, sizeOfFilestat), g.mem[result:result+sizeOfFilestat])
	}
}

func TestStatFollowsOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/d/f", "")
	for link, to := range map[string]string{"to-f": "d/f", "to-d": "d", "out": "../secret", "loop": "loop", "none": "missing"} {
		require.NoError(t, os.Symlink(to, filepath.Join(g.work, link)))
	}
	for _, c := range []struct {
		path   string
		follow uint64
		want   Errno
		kind   byte
	}{
		{"to-f", 0, Success, typeSymlink}, {"to-f", 1, Success, typeRegular}, {"to-d", 1, Success, typeDirectory},
		{"to-d/", 0, Success, typeDirectory}, {"to-d/f", 0, Success, typeRegular}, {"d/f", 0, Success, typeRegular},
		{"out", 0, Success, typeSymlink}, {"out", 1, NotCapable, 0}, {"loop", 1, Loop, 0}, {"loop", 0, Success, typeSymlink},
		{"none", 1, NoEnt, 0}, {"none", 0, Success, typeSymlink}, {".", 0, Success, typeDirectory}, {"..", 0, NotCapable, 0},
		{"d/..", 1, Success, typeDirectory}, {"d/f/", 0, NotDir, 0}, {"missing", 1, NoEnt, 0}, {"d", 2, Inval, 0},
	} {
		require.Equal(t, c.want, g.stat(work, c.follow, c.path), "%+v", c)
		if c.want == Success {
			require.Equal(t, c.kind, g.mem[result+16], "%+v", c)
		}
	}
}

func TestSettingTimes(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/f", "")
	require.NoError(t, os.Symlink("f", filepath.Join(g.work, "l")))
	p, n := g.str("l")
	set := func(follow, atime, mtime, flags uint64) Errno {
		return g.call("path_filestat_set_times", work, follow, p, n, atime, mtime, flags)
	}
	stat := func(name string) (atime, mtime int64) {
		var st unix.Stat_t
		require.NoError(t, unix.Lstat(filepath.Join(g.work, name), &st))
		return st.Atim.Nano(), st.Mtim.Nano()
	}
	require.Equal(t, Success, set(1, 5e9+1, 6e9+2, setAtime|setMtime))
	a, m := stat("f")
	require.Equal(t, [2]int64{5e9 + 1, 6e9 + 2}, [2]int64{a, m})
	require.Equal(t, Success, set(0, 7e9, 8e9, setMtime))
	_, m = stat("l")
	require.Equal(t, int64(8e9), m, "the link itself")
	require.Equal(t, Success, set(1, 9e9, 0, setAtime))
	a, m = stat("f")
	require.Equal(t, [2]int64{9e9, 6e9 + 2}, [2]int64{a, m}, "the other is left alone")
	require.Equal(t, Success, set(1, 0, 0, setMtimeNow))
	_, m = stat("f")
	require.InDelta(t, time.Now().UnixNano(), m, float64(time.Minute))

	fd := g.create("f")
	require.Equal(t, Success, g.call("fd_filestat_set_times", fd, 1, 2, setAtime|setMtime))
	a, m = stat("f")
	require.Equal(t, [2]int64{1, 2}, [2]int64{a, m})
	require.Equal(t, Success, g.call("fd_filestat_set_times", work, 1, 2, setAtime|setMtime), "an O_PATH directory too")

	for _, flags := range []uint64{setAtime | setAtimeNow, setMtime | setMtimeNow, 16, 1 << 31} {
		require.Equal(t, Inval, set(1, 0, 0, flags))
		require.Equal(t, Inval, g.call("fd_filestat_set_times", fd, 0, 0, flags))
	}
	require.Equal(t, Inval, set(1, 1<<63, 0, setAtime))
	require.Equal(t, Inval, set(2, 0, 0, setAtime))
	require.Equal(t, Inval, g.call("fd_filestat_set_times", 1, 0, 0, setAtime), "a log has no times")
}
