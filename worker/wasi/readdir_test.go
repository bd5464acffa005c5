package wasi

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

type dirent struct {
	next, ino uint64
	kind      byte
	name      string
}

// list reads a directory as a C library does: with a buffer of n bytes, from the cookie
// of the last whole record.
func (g *guest) list(fd uint64, n uint32) (all []dirent) {
	g.t.Helper()
	cookie := uint64(0)
	for {
		got, full := g.page(fd, n, cookie)
		all = append(all, got...)
		if !full {
			return all
		}
		require.NotEmpty(g.t, got, "no progress")
		cookie = got[len(got)-1].next
	}
}

// page returns the whole records of one answer, and whether it filled the buffer.
func (g *guest) page(fd uint64, n uint32, cookie uint64) (all []dirent, full bool) {
	g.t.Helper()
	buf := uint32(g.put(make([]byte, n)))
	used := g.ok("fd_readdir", fd, uint64(buf), uint64(n), cookie, result)
	require.LessOrEqual(g.t, used, n)
	for at := buf; at+sizeOfDirent <= buf+used; {
		m := memory(g.mem)
		size := m.u32(at + 16)
		if at+sizeOfDirent+size > buf+used {
			break
		}
		require.Zero(g.t, m[at+21]|m[at+22]|m[at+23], "padding")
		all = append(all, dirent{m.u64(at), m.u64(at + 8), m[at+20], string(m[at+sizeOfDirent : at+sizeOfDirent+size])})
		at += sizeOfDirent + size
	}
	return all, used == n
}

func sorted(list []dirent) (names []string) {
	for _, d := range list {
		names = append(names, d.name)
	}
	sort.Strings(names)
	return names
}

func TestListingGivesEveryNameOnceWhateverTheBuffer(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	want := []string{".", ".."}
	for i := range 1200 {
		name := fmt.Sprintf("file-%04d-%0*d", i, i%60+1, 0)
		want = append(want, name)
		require.NoError(t, os.WriteFile(filepath.Join(g.work, name), nil, 0o644))
	}
	sort.Strings(want)
	for _, n := range []uint32{sizeOfDirent + 80, 333, 4096, 1 << 18} {
		require.Equal(t, want, sorted(g.list(work, n)), "buffer of %d", n)
	}
}

func TestListingTellsTypesAndInodes(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.create("f")
	require.Equal(t, Success, g.at("path_create_directory", work, "d"))
	require.Equal(t, Success, g.symlink("f", work, "l"))
	require.NoError(t, unix.Mkfifo(filepath.Join(g.work, "p"), 0o600))
	kinds := map[string]byte{}
	for _, d := range g.list(work, 4096) {
		kinds[d.name] = d.kind
		if d.name != ".." {
			require.Equal(t, Success, g.stat(work, 0, d.name))
			require.Equal(t, g.u64(result+8), d.ino, d.name)
		}
	}
	require.Equal(t, map[string]byte{
		".": typeDirectory, "..": typeDirectory, "f": typeRegular, "d": typeDirectory, "l": typeSymlink, "p": typeUnknown,
	}, kinds)
}

func TestTheParentOfAPreopenIsNotShown(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	var own, outer unix.Stat_t
	require.NoError(t, unix.Stat(g.work, &own))
	require.NoError(t, unix.Stat(g.top, &outer))
	require.Equal(t, Success, g.at("path_create_directory", work, "d"))
	again, e := g.open(work, "d/..", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	inside, e := g.open(work, "d", oDirectory, 0, 0)
	require.Equal(t, Success, e)
	for _, fd := range []uint64{work, again, inside} {
		for _, d := range g.list(fd, 4096) {
			require.NotEqual(t, outer.Ino, d.ino)
			if d.name == ".." {
				require.Equal(t, own.Ino, d.ino)
			}
		}
	}
}

func TestACookieCanBeUsedAgainAndOutOfOrder(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for i := range 500 {
		require.NoError(t, os.WriteFile(filepath.Join(g.work, fmt.Sprint(i)), nil, 0o644))
	}
	all := g.list(work, 4096)
	for _, i := range []int{400, 3, 200, 200, 0, 499} {
		got, _ := g.page(work, 100, all[i].next)
		require.Equal(t, all[i+1], got[0], i)
		other := g.list(frozen, 4096) // a listing between
		require.Len(t, other, 4)
	}
	got, full := g.page(work, 4096, all[len(all)-1].next)
	require.Empty(t, got)
	require.False(t, full)
	require.NotEqual(t, Success, g.call("fd_readdir", work, 0, 100, 1<<63, result))
}

func TestNamesMadeWhileListingDoNotDisturbTheOthers(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for i := range 200 {
		require.NoError(t, os.WriteFile(filepath.Join(g.work, fmt.Sprint("old", i)), nil, 0o644))
	}
	seen, cookie := map[string]int{}, uint64(0)
	for i := 0; ; i++ {
		got, full := g.page(work, 200, cookie)
		for _, d := range got {
			seen[d.name]++
			if i%2 == 0 && d.name[0] == 'o' {
				require.Equal(t, Success, g.at("path_unlink_file", work, d.name))
			}
		}
		if !full {
			break
		}
		cookie = got[len(got)-1].next
		g.create(fmt.Sprint("new", i))
		require.Equal(t, Success, g.call("fd_close", 5))
	}
	for i := range 200 {
		require.Equal(t, 1, seen[fmt.Sprint("old", i)])
	}
}

func TestOnlyADirectoryCanBeListed(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	for _, fd := range []uint64{0, 1, g.create("f")} {
		require.Equal(t, NotDir, g.call("fd_readdir", fd, 0, 100, 0, result))
	}
	require.Zero(t, g.ok("fd_readdir", work, 0, 0, 0, result))
}
