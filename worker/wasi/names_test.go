package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// shelf is a folder with one of everything.
func shelf(t *testing.T) *guest {
	t.Helper()
	g := newGuest(t)
	g.write("work/f", "f")
	g.write("work/full/x", "x")
	require.NoError(t, os.Mkdir(filepath.Join(g.work, "d"), 0o755))
	require.NoError(t, os.Symlink("f", filepath.Join(g.work, "l")))
	require.NoError(t, os.Symlink("d", filepath.Join(g.work, "ld")))
	return g
}

func TestNamesWithAndWithoutATrailingSlash(t *testing.T) {
	t.Parallel()
	const (
		mkdir  = "path_create_directory"
		rmdir  = "path_remove_directory"
		unlink = "path_unlink_file"
	)
	for _, c := range []struct {
		call, path string
		want       Errno
	}{
		{mkdir, "n", Success}, {mkdir, "n/", Success}, {mkdir, "d/n//", Success}, {mkdir, "f", Exist}, {mkdir, "d/", Exist},
		{mkdir, "f/n", NotDir}, {mkdir, "none/n", NoEnt}, {mkdir, "l", Exist},
		{rmdir, "d", Success}, {rmdir, "d/", Success}, {rmdir, "full", NotEmpty}, {rmdir, "f", NotDir}, {rmdir, "f/", NotDir},
		{rmdir, "ld", NotDir}, {rmdir, "ld/", NotDir}, {rmdir, "none", NoEnt},
		{unlink, "f", Success}, {unlink, "l", Success}, {unlink, "ld", Success}, {unlink, "d", IsDir}, {unlink, "d/", IsDir},
		{unlink, "f/", NotDir}, {unlink, "l/", NotDir}, {unlink, "none", NoEnt}, {unlink, "none/", NoEnt}, {unlink, "full/x", Success},
	} {
		g := shelf(t)
		require.Equal(t, c.want, g.at(c.call, work, c.path), "%+v", c)
		if c.want != Success {
			require.Equal(t, "d\nf\nfull\nl\nld\n", names(t, g.work), "%+v", c)
		}
	}
}

func TestRenaming(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		want     Errno
	}{
		{"f", "n", Success}, {"f", "d/n", Success}, {"f", "l", Success}, {"d", "n", Success}, {"d/", "n", Success}, {"d", "n/", Success},
		{"d/", "n/", Success}, {"l", "n", Success}, {"f", "n/", NotDir}, {"f/", "n", NotDir}, {"l/", "n", NotDir}, {"ld/", "n", NotDir},
		{"none", "n", NoEnt}, {"none/", "n", NoEnt}, {"f", "d", IsDir}, {"f", "d/", NotDir}, {"d", "f", NotDir}, {"d/", "f/", NotDir},
		{"d", "full", NotEmpty}, {"full", "d", Success}, {"full", "full/in", Inval}, {"f", "none/n", NoEnt}, {"f", "f", Success},
	} {
		g := shelf(t)
		require.Equal(t, c.want, g.rename(work, c.from, work, c.to), "%+v", c)
	}
	g := shelf(t)
	require.Equal(t, Success, g.rename(work, "f", work, "l"))
	require.Equal(t, "f", g.read("work/l"))
	require.NotContains(t, names(t, g.work), "f\nfull\nf\n")
}

func TestLinking(t *testing.T) {
	t.Parallel()
	g := shelf(t)
	for _, c := range []struct {
		from, to string
		want     Errno
	}{
		{"f", "n", Success}, {"l", "n2", Success}, {"f", "d/n3", Success}, {"f", "l", Exist}, {"f", "d", Exist}, {"f", "n4/", NoEnt},
		{"f/", "n5", NotDir}, {"d", "n6", Perm}, {"d/", "n7", IsDir}, {"none", "n8", NoEnt}, {"f", "none/n", NoEnt},
	} {
		require.Equal(t, c.want, g.link(work, c.from, work, c.to), "%+v", c)
	}
	require.Equal(t, Success, g.stat(work, 0, "n2"))
	require.EqualValues(t, typeSymlink, g.mem[result+16], "the link itself is linked")
	p, n := g.str("f")
	require.Equal(t, Inval, g.call("path_link", work, 1, p, n, work, p, n), "following is not offered")
}

func TestReadingALink(t *testing.T) {
	t.Parallel()
	g := shelf(t)
	require.NoError(t, os.Symlink("0123456789", filepath.Join(g.work, "long")))
	for _, c := range []struct {
		path, want string
		size       uint64
		e          Errno
	}{
		{"long", "0123456789", 100, Success}, {"long", "0123456789", 10, Success}, {"long", "0123", 4, Success}, {"long", "", 0, Success},
		{"f", "", 100, Inval}, {"f", "", 0, Inval}, {"d", "", 100, Inval}, {"ld/", "", 100, Inval}, {"none", "", 100, NoEnt}, {"none", "", 0, NoEnt},
		{".", "", 100, Inval}, {"none/x", "", 10, NoEnt},
	} {
		buf := g.put([]byte("\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee\xee"))
		p, n := g.str(c.path)
		require.Equal(t, c.e, g.call("path_readlink", work, p, n, buf, c.size, result), "%+v", c)
		if c.e == Success {
			require.EqualValues(t, len(c.want), g.u32(result))
			require.Equal(t, c.want+"\xee", string(g.mem[buf:int(buf)+len(c.want)+1]))
		}
	}
}
