package linelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/internal/tempdir"
	"rookery/capsule/linelog"
)

// start makes a log and a way to read what is in its file.
func start(t *testing.T, maxBytes int64, maxLine int) (*linelog.Log, func() string) {
	t.Helper()
	path := filepath.Join(tempdir.New(t), "log")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	log := linelog.New(file, maxBytes, maxLine)
	t.Cleanup(func() { log.Close() })
	return log, func() string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
}

func write(t *testing.T, log *linelog.Log, pieces ...string) {
	t.Helper()
	for _, piece := range pieces {
		n, err := log.Write([]byte(piece))
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
	}
}

func TestLinesAreKeptAsTheyCome(t *testing.T) {
	t.Parallel()
	log, text := start(t, 1<<20, 1<<10)
	write(t, log, "one\n", "tw", "o\nthree\n", "", "\n", "four")
	assert.Equal(t, "one\ntwo\nthree\n\n", text(), "a line is written when it is whole")
	log.Flush()
	log.Flush()
	assert.Equal(t, "one\ntwo\nthree\n\nfour\n", text())
	write(t, log, "five")
	require.NoError(t, log.Close())
	assert.Equal(t, "one\ntwo\nthree\n\nfour\nfive\n", text())
	assert.Zero(t, log.Dropped())
}

func TestALineThatIsTooLongIsCutAtACharacterAndSaysSo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ line, want string }{
		"a line of just the limit":   {strings.Repeat("x", 99), strings.Repeat("x", 99)},
		"one byte more":              {strings.Repeat("x", 100), strings.Repeat("x", 75) + " [line of 100 bytes cut]"},
		"much more":                  {strings.Repeat("x", 99_999), strings.Repeat("x", 73) + " [line of 99999 bytes cut]"},
		"a character at the cut":     {strings.Repeat("x", 74) + strings.Repeat("é", 50), strings.Repeat("x", 74) + " [line of 174 bytes cut]"},
		"characters up to the cut":   {strings.Repeat("é", 60), strings.Repeat("é", 37) + " [line of 120 bytes cut]"},
		"bytes that are no sequence": {strings.Repeat("\x80", 60), strings.Repeat("\x80", 60)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, text := start(t, 1<<20, 100)
			for piece := test.line; piece != ""; piece = piece[min(7, len(piece)):] {
				write(t, log, piece[:min(7, len(piece))])
			}
			write(t, log, "\nnext\n")
			assert.Equal(t, test.want+"\nnext\n", text())
			for line := range strings.Lines(text()) {
				assert.LessOrEqual(t, len(line), 100)
			}
			assert.Equal(t, test.line != test.want, log.Dropped() > 0)
		})
	}
}

func TestAFullLogSaysSoOnceAndDropsTheRest(t *testing.T) {
	t.Parallel()
	log, text := start(t, 100, 1<<10)
	for i := range 50 {
		write(t, log, fmt.Sprintf("line %03d\n", i))
	}
	assert.Equal(t, "line 000\nline 001\nline 002\nline 003\nline 004\nline 005\nline 006\nline 007\n[log cut at 100 bytes]\n", text())
	assert.LessOrEqual(t, len(text()), 100)
	assert.Equal(t, int64(42*len("line 000\n")), log.Dropped())
}

func TestAnEarlierWritersBytesCount(t *testing.T) {
	t.Parallel()
	path := filepath.Join(tempdir.New(t), "log")
	for range 3 {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		require.NoError(t, err)
		log := linelog.New(file, 60, 50)
		write(t, log, strings.Repeat("x", 29)+"\n")
		require.NoError(t, log.Close())
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(text), 60)
	assert.Equal(t, 1, strings.Count(string(text), "[log cut at 60 bytes]\n"))
}

func TestAHandleIsRedactedThoughItArrivesInPieces(t *testing.T) {
	t.Parallel()
	log, text := start(t, 1<<20, 1<<10)
	write(t, log, "got mh", "1.abc.d", "ef, thanks\n")
	assert.Equal(t, "got <handle:d4abfe2e7b6c606d>, thanks\n", text())
}

func TestWhatCannotBeWrittenIsCountedAndFailsNobody(t *testing.T) {
	t.Parallel()
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	log := linelog.New(file, 1<<20, 1<<10)
	write(t, log, "lost\n")
	assert.Equal(t, int64(5), log.Dropped())
	require.NoError(t, log.Close())
	write(t, log, "late\n")
	assert.Equal(t, int64(10), log.Dropped(), "after the end too")
}

func TestLinesOfSeveralWritersDoNotMix(t *testing.T) {
	t.Parallel()
	log, text := start(t, 1<<20, 1<<10)
	var writers sync.WaitGroup
	for writer := range 4 {
		writers.Go(func() {
			for range 100 {
				_, _ = log.Write([]byte(strings.Repeat(fmt.Sprint(writer), 50) + "\n"))
			}
		})
	}
	writers.Wait()
	lines := strings.Split(strings.TrimSuffix(text(), "\n"), "\n")
	assert.Len(t, lines, 400)
	for _, line := range lines {
		assert.Equal(t, strings.Repeat(line[:1], 50), line)
	}
}

func TestATailIsTheLastWholeLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text     string
		lines    int
		maxBytes int
		want     []string
	}{
		"nothing":                       {"", 5, 100, nil},
		"fewer lines than asked for":    {"a\nb\n", 5, 100, []string{"a", "b"}},
		"the last of them":              {"a\nb\nc\n", 2, 100, []string{"b", "c"}},
		"a last line that has no end":   {"a\nb", 1, 100, []string{"b"}},
		"empty lines":                   {"a\n\n\n", 3, 100, []string{"a", "", ""}},
		"a line that does not fit":      {"aaaa\nbb\ncc\n", 5, 8, []string{"bb", "cc"}},
		"one long line":                 {strings.Repeat("a", 50), 5, 8, []string{"aaaaaaaa"}},
		"bytes that are not UTF-8":      {"caf\xe9\n", 5, 100, []string{"caf\uFFFD"}},
		"no lines asked for":            {"a\n", 0, 100, nil},
		"a limit that takes no byte":    {"a\n", 5, 0, nil},
		"a character cut by the limit":  {"éa\n", 5, 3, []string{"\uFFFDa"}},
		"nothing but the end of a line": {"\n", 5, 100, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(tempdir.New(t), "log")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			file, err := os.Open(path)
			require.NoError(t, err)
			defer file.Close()
			assert.Equal(t, test.want, linelog.Tail(file, test.lines, test.maxBytes))
		})
	}
}

func TestTheTailOfAFileThatCannotBeReadIsEmpty(t *testing.T) {
	t.Parallel()
	file, err := os.Open("/dev/null")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.Empty(t, linelog.Tail(file, 5, 100))
}
