package crash

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"rookery/capsule/linelog"
)

const (
	// maxDump is how much of the end of a log is searched. A dump of all goroutines of a worker is some 100 KiB.
	maxDump = 1 << 20
	// maxLine bounds the line that is quoted, in bytes.
	maxLine = 200
)

// beginnings are how dumps begin: the Go runtime's own, those of its signal handler ("SIGABRT: abort"), the engine's
// (Rust's panic hook) and the C library's.
var beginnings = regexp.MustCompile(`^(panic: |fatal error: |runtime: out of memory|unexpected fault address |SIG[A-Z0-9]+: |` +
	`thread '.*' panicked at |thread caused non-unwinding panic|memory allocation of \d+ bytes failed|` +
	`terminate called |malloc\(\): |free\(\): |double free or corruption|\*\*\* stack smashing detected)`)

// DumpLine returns the first line of the dump that a process left at the end of its log, or "" when there is none. Ordinary
// log lines are JSON objects and are never taken for one.
func DumpLine(log *os.File) string {
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	from := max(0, info.Size()-maxDump)
	lines := bufio.NewReaderSize(io.NewSectionReader(log, from, maxDump), 64<<10)
	for {
		line, err := nextLine(lines)
		if beginnings.Match(line) {
			return Clean(string(line))
		}
		if err != nil {
			return ""
		}
	}
}

// LastLine returns the last line of a log, bounded and escaped; "" when there is none.
func LastLine(log *os.File) string {
	lines := linelog.Tail(log, 1, 4*maxLine)
	if len(lines) == 0 {
		return ""
	}
	return Clean(lines[0])
}

// nextLine returns the next line, of a long one only its beginning.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	line, err := lines.ReadSlice('\n')
	line = bytes.Clone(line[:min(len(line), 4*maxLine)])
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = lines.ReadSlice('\n')
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// Clean bounds a line of a log, and escapes what is not printable in it, so that it can be part of a record.
func Clean(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	quoted := strconv.QuoteToGraphic(line)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
