package crash_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/launcher/crash"
	"rookery/launcher/proc"
)

func logOf(t testing.TB, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "worker.log")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

func TestTheFirstLineOfADumpIsFound(t *testing.T) {
	t.Parallel()
	const ordinary = `{"level":"info","message":"panic: not one"}` + "\n"
	for _, test := range []struct{ name, log, line string }{
		{"no log", "", ""},
		{"no dump", ordinary + "something\n  panic: indented\n", ""},
		{"a panic", ordinary + "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n", "panic: runtime error: index out of range [3] with length 3"},
		{"a panic that was cut short", "panic: bo", "panic: bo"},
		{"a fatal error", "fatal error: all goroutines are asleep - deadlock!\n", "fatal error: all goroutines are asleep - deadlock!"},
		{"out of memory", "runtime: out of memory: cannot allocate 1 byte\nfatal error: out of memory\n", "runtime: out of memory: cannot allocate 1 byte"},
		{"a signal", "SIGABRT: abort\nPC=0x47 m=0 sigcode=0\n", "SIGABRT: abort"},
		{"a fault", "unexpected fault address 0x10\nfatal error: fault\n", "unexpected fault address 0x10"},
		{"the engine's panic", "thread '<unnamed>' panicked at src/lib.rs:1:2:\nhelp\n", "thread '<unnamed>' panicked at src/lib.rs:1:2:"},
		{"the C library", "free(): invalid pointer\nSIGABRT: abort\n", "free(): invalid pointer"},
		{"Windows line ends", "panic: x\r\n", "panic: x"},
		{"what a terminal would obey", "panic: \x1b[2J\x07\"é\"\n", `panic: \x1b[2J\a"é"`},
		{"a long line", "panic: " + strings.Repeat("x", 100_000) + "\n", "panic: " + strings.Repeat("x", 193) + "…"},
		{"after a long line", strings.Repeat("x", 100_000) + "\npanic: y\n", "panic: y"},
		{"after much else", strings.Repeat(ordinary, 50_000) + "panic: y\n", "panic: y"},
		{"too long ago", "panic: y\n" + strings.Repeat(ordinary, 50_000), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.line, crash.DumpLine(logOf(t, test.log)))
		})
	}
}

func TestTheLastLineOfALog(t *testing.T) {
	t.Parallel()
	assert.Empty(t, crash.LastLine(logOf(t, "")))
	assert.Equal(t, "two", crash.LastLine(logOf(t, "one\ntwo\n")))
	assert.Equal(t, `\x00`, crash.LastLine(logOf(t, "one\n\x00")))
	assert.Len(t, crash.LastLine(logOf(t, strings.Repeat("x", 100_000))), 200+len("…"))
}

func TestADetailNamesTheExitThenTheDumpThenTheGuestsLines(t *testing.T) {
	t.Parallel()
	exited := func(code int) proc.ExitState { return proc.ExitState{Known: true, Code: code} }
	killed := proc.ExitState{Known: true, Signal: syscall.SIGKILL}
	for _, test := range []struct {
		name  string
		exit  proc.ExitState
		dump  string
		lines []string
		want  string
	}{
		{"killed", killed, "", nil, "signal: killed"},
		{"killed with last words", killed, "", []string{"a", "b"}, "signal: killed\na\nb"},
		{"a dump", exited(2), "SIGABRT: abort", nil, "exit status 2: SIGABRT: abort"},
		{"a code of ours", exited(68), "", []string{"a"}, "exit status 68: the record could not be written\na"},
		{"a dump comes before what a code means", exited(68), "panic: x", nil, "exit status 68: panic: x"},
		{"unknown", proc.ExitState{}, "", nil, "exit status unknown"},
	} {
		assert.Equal(t, test.want, crash.Detail(test.exit, test.dump, test.lines), test.name)
	}
}

func TestADetailKeepsTheLastLinesThatFit(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	detail := crash.Detail(proc.ExitState{}, "", lines)
	assert.Equal(t, crash.Lines, strings.Count(detail, "\n"))
	assert.True(t, strings.HasPrefix(detail, "exit status unknown\nline 80\n"))
	assert.True(t, strings.HasSuffix(detail, "\nline 99"))

	long := strings.Repeat("é", 500) // 1000 bytes
	detail = crash.Detail(proc.ExitState{}, "", []string{long, long, "end"})
	assert.Equal(t, "exit status unknown\n"+long+"\nend", detail, "whole lines only")

	detail = crash.Detail(proc.ExitState{}, strings.Repeat("y", 5000), lines)
	assert.LessOrEqual(t, len(detail), outcome.MaxDetailBytes+len(" […]"))
}

func FuzzDump(f *testing.F) {
	f.Add("panic: x\n")
	f.Add("{\"a\":1}\nSIGSEGV: segmentation violation\nPC=0x0\n")
	f.Add("panic: \xff\xfe\x1b]0;title\x07" + strings.Repeat("é", 300))
	log, err := os.CreateTemp(f.TempDir(), "")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, log.Truncate(0))
		_, err := log.WriteAt([]byte(text), 0)
		require.NoError(t, err)
		for _, line := range []string{crash.DumpLine(log), crash.LastLine(log)} {
			assert.True(t, utf8.ValidString(line))
			assert.NotContains(t, line, "\n")
			assert.NotContains(t, line, "\x1b")
			detail := crash.Detail(proc.ExitState{}, line, []string{text})
			assert.LessOrEqual(t, len(detail), outcome.MaxDetailBytes+len(" […]"))
		}
	})
}
