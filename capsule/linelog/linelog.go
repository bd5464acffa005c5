package linelog

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"unicode/utf8"

	"rookery/capsule/redact"
)

const (
	// DefaultMaxBytes is the size of one log file that a session may fill.
	DefaultMaxBytes = 16 << 20
	// DefaultMaxLine is the longest line kept, in bytes with its newline.
	DefaultMaxLine = 64 << 10
)

// Log writes lines to one file. It is safe for concurrent use.
type Log struct {
	maxLine int

	mu      sync.Mutex // guards what follows
	file    *os.File
	room    int64  // bytes that may still be written before the closing note
	note    string // written once when the room is used up
	line    []byte // the unfinished line, at most maxLine bytes
	skipped int64  // bytes of the unfinished line beyond that
	dropped int64
	full    bool
}

// New takes over f, open for appending. maxBytes bounds the file, what it already
// holds included; maxLine bounds a line, its newline included. Both must hold at
// least the notes that say that something was cut, some 100 bytes.
func New(f *os.File, maxBytes int64, maxLine int) *Log {
	log := &Log{file: f, maxLine: maxLine, note: fmt.Sprintf("[log cut at %d bytes]\n", maxBytes)}
	log.room = maxBytes - int64(len(log.note))
	if info, err := f.Stat(); err == nil {
		log.room -= info.Size()
	}
	// No room for the note either: an earlier writer has left it.
	log.full = log.room < 0
	return log
}

// Write takes any piece of output. It always reports success: a log that fails
// must not fail its writer. What cannot be kept is counted in Dropped.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.gather(rest)
			break
		}
		l.gather(rest[:end])
		l.finish()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// Flush ends an unfinished line, so that what was written so far is in the file.
func (l *Log) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.finish()
	}
}

// Dropped is how many bytes were cut or could not be written so far.
func (l *Log) Dropped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// Close ends an unfinished line and closes the file. What is written afterwards
// is dropped.
func (l *Log) Close() error {
	l.Flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = true
	return l.file.Close()
}

func (l *Log) gather(piece []byte) {
	keep := min(len(piece), l.maxLine-len(l.line))
	l.line = append(l.line, piece[:keep]...)
	l.skipped += int64(len(piece) - keep)
}

// finish writes the line gathered so far.
func (l *Log) finish() {
	total := int64(len(l.line)) + l.skipped
	line := l.bound([]byte(redact.Text(string(l.line))), total)
	l.line, l.skipped = l.line[:0], 0
	if l.full {
		l.dropped += total + 1
		return
	}
	if int64(len(line)) > l.room {
		l.full = true
		l.dropped += total + 1
		l.put([]byte(l.note))
		return
	}
	l.room -= int64(len(line))
	l.put(line)
}

// bound ends the line and, if it is too long, cuts it at a character and says so.
// It counts what the cut loses.
func (l *Log) bound(line []byte, total int64) []byte {
	if l.skipped == 0 && len(line)+1 <= l.maxLine {
		return append(line, '\n')
	}
	mark := fmt.Sprintf(" [line of %d bytes cut]\n", total)
	keep := max(0, min(len(line), l.maxLine-len(mark)))
	for keep > 0 && keep < len(line) && !utf8.RuneStart(line[keep]) {
		keep--
	}
	l.dropped += max(0, total-int64(keep))
	return append(line[:keep], mark...)
}

func (l *Log) put(line []byte) {
	if n, err := l.file.Write(line); err != nil {
		l.dropped += int64(len(line) - n)
	}
}
