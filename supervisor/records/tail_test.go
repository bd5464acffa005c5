package records_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/records"
)

func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func tail(t testing.TB, dir string) *records.Tail {
	t.Helper()
	tail, err := records.Open(dir, "log")
	require.NoError(t, err)
	t.Cleanup(func() { _ = tail.Close() })
	return tail
}

func write(t testing.TB, dir, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// all reads what is there.
func all(t testing.TB, tail *records.Tail) (lines []string, restarted bool) {
	t.Helper()
	for {
		more, again, err := tail.Next()
		require.NoError(t, err)
		restarted = restarted || again
		if len(more) == 0 && !again {
			return lines, restarted
		}
		lines = append(lines, more...)
	}
}

func TestLinesComeWhenTheyAreWholeAndOnlyOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	log := tail(t, dir)
	lines, _ := all(t, log)
	assert.Empty(t, lines, "a file that is not there yet has no lines")
	write(t, dir, "one\ntw")
	lines, _ = all(t, log)
	assert.Equal(t, []string{"one"}, lines)
	write(t, dir, "o\n\nthree")
	lines, _ = all(t, log)
	assert.Equal(t, []string{"two", ""}, lines)
	assert.Equal(t, []string{"three"}, log.Rest())
	assert.Empty(t, log.Rest())
}

func TestTheLastLinesAreFound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40_000)
	for name, test := range map[string]struct {
		text string
		n    int
		want []string
	}{
		"of few":                      {"a\nb\nc\n", 2, []string{"b", "c"}},
		"more than there are":         {"a\nb\n", 5, []string{"a", "b"}},
		"exactly as many":             {"a\nb\n", 2, []string{"a", "b"}},
		"the last without its end":    {"a\nb\nc", 2, []string{"b", "c"}},
		"empty ones":                  {"a\n\n\n", 2, []string{"", ""}},
		"of an empty file":            {"", 3, nil},
		"of nothing but an end":       {"\n", 3, []string{""}},
		"longer than a block of them": {"a\n" + long + "\n" + long + "\n" + long + "\n", 2, []string{long, long}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			write(t, dir, test.text)
			log := tail(t, dir)
			require.NoError(t, log.Last(test.n))
			lines, _ := all(t, log)
			assert.Equal(t, test.want, append(lines, log.Rest()...))
		})
	}
}

func TestALogThatIsCutOrReplacedBeginsAnewAndSaysSo(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(t *testing.T, path string){
		"cut": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Truncate(path, 0))
		},
		"replaced": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.WriteFile(path+".new", nil, 0o600))
			require.NoError(t, os.Rename(path+".new", path))
		},
		"rotated": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Rename(path, path+".1"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			write(t, dir, "one\ntwo\nbegun")
			log := tail(t, dir)
			lines, restarted := all(t, log)
			assert.Equal(t, []string{"one", "two"}, lines)
			assert.False(t, restarted)
			cut(t, filepath.Join(dir, "log"))
			write(t, dir, "new\n")
			lines, restarted = all(t, log)
			assert.Equal(t, []string{"new"}, lines)
			assert.True(t, restarted)
		})
	}
}

func TestALogThatIsRemovedEndsWithWhatWasRead(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	write(t, dir, "one\n")
	log := tail(t, dir)
	_, _ = all(t, log)
	require.NoError(t, os.RemoveAll(dir))
	lines, restarted := all(t, log)
	assert.Empty(t, lines)
	assert.False(t, restarted)
}

func TestAnEndlessLineComesInPiecesAndALinkOrAPipeDoesNotComeAtAll(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	write(t, dir, strings.Repeat("x", 200_000))
	log := tail(t, dir)
	lines, _ := all(t, log)
	lines = append(lines, log.Rest()...)
	assert.Len(t, lines, 4)
	assert.Equal(t, strings.Repeat("x", 200_000), strings.Join(lines, ""))

	link := folder(t)
	require.NoError(t, os.Symlink(filepath.Join(dir, "log"), filepath.Join(link, "log")))
	_, _, err := tail(t, link).Next()
	assert.Error(t, err)
}

func FuzzLinesAreThoseOfTheFileHoweverItGrows(f *testing.F) {
	f.Add("one\ntwo\n", uint8(3), uint8(0))
	f.Add("\n\n\xff\xfe\nlast", uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, text string, piece, last uint8) {
		dir := folder(t)
		log := tail(t, dir)
		var got []string
		for rest := text; rest != ""; {
			n := min(int(piece)+1, len(rest))
			write(t, dir, rest[:n])
			rest = rest[n:]
			lines, restarted := all(t, log)
			require.False(t, restarted)
			got = append(got, lines...)
		}
		got = append(got, log.Rest()...)
		var want []string
		for line := range strings.Lines(text) {
			want = append(want, strings.ToValidUTF8(strings.TrimSuffix(line, "\n"), "\uFFFD"))
		}
		require.Equal(t, want, got)
		for _, line := range got {
			require.True(t, utf8.ValidString(line))
		}
		if last == 0 || text == "" {
			return
		}
		end := tail(t, dir)
		require.NoError(t, end.Last(int(last)))
		lines, _ := all(t, end)
		require.True(t, slices.Equal(want[max(0, len(want)-int(last)):], append(lines, end.Rest()...)), fmt.Sprint(lines))
	})
}
