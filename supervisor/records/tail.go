package records

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/linelog"
)

const (
	// maxLine is the longest piece handed out as one line: as much as a log keeps of one.
	maxLine = linelog.DefaultMaxLine
	// block is how much is read at once.
	block = 64 << 10
)

// Tail reads the lines of one file in a records folder as it grows. It is not safe for concurrent use.
type Tail struct {
	dir  *beneath.Dir
	name string
	file *os.File // nil until there is one
	// offset is where the next read begins, begun what was read of a line that has no end yet.
	offset int64
	begun  []byte
}

// Open holds the records folder; name is a path within it, which need not exist yet. The error is one of opening the folder.
func Open(recordsDir, name string) (*Tail, error) {
	dir, err := beneath.Open(recordsDir)
	if err != nil {
		return nil, err
	}
	return &Tail{dir: dir, name: name}, nil
}

// Close ends the reading.
func (t *Tail) Close() error {
	if t.file != nil {
		_ = t.file.Close() // it was only read
	}
	return t.dir.Close()
}

// Last moves to the last lines of the file as it is now: at most n of them. Call it before the first Next.
func (t *Tail) Last(n int) error {
	if found, err := t.open(); !found {
		return err
	}
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	at := info.Size()
	buffer := make([]byte, block)
	// The newline that ends the last line is not between two lines.
	for end := max(at-1, 0); end > 0; {
		from := max(end-block, 0)
		piece := buffer[:end-from]
		if _, err := t.file.ReadAt(piece, from); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for i := len(piece) - 1; i >= 0; i-- {
			if piece[i] != '\n' {
				continue
			}
			if n--; n == 0 {
				t.offset = from + int64(i) + 1
				return nil
			}
		}
		end = from
	}
	return nil
}

// Next returns the whole lines that are there and were not returned yet, at most some 64 KiB of them; none when there is nothing new.
// restarted says that the file was cut or replaced and the lines begin anew. A file that is not there yet has no lines.
func (t *Tail) Next() (lines []string, restarted bool, err error) {
	if found, err := t.open(); !found {
		return nil, false, err
	}
	for {
		lines, err = t.read()
		if len(lines) > 0 || err != nil {
			return lines, restarted, err
		}
		again, err := t.changed()
		if !again || err != nil {
			return nil, restarted, err
		}
		restarted = true
	}
}

// Rest returns what stands behind the last newline: the last line of a file that nobody writes any more.
func (t *Tail) Rest() []string {
	if len(t.begun) == 0 {
		return nil
	}
	line := text(t.begun)
	t.begun = nil
	return []string{line}
}

// open opens the file if it is there.
func (t *Tail) open() (found bool, err error) {
	if t.file != nil {
		return true, nil
	}
	t.file, err = t.dir.OpenRegular(t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// read returns the lines of the next block.
func (t *Tail) read() ([]string, error) {
	var lines []string
	buffer := make([]byte, block)
	for len(lines) == 0 {
		n, err := t.file.ReadAt(buffer, t.offset)
		t.offset += int64(n)
		lines = t.cut(buffer[:n])
		if n == 0 || err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return lines, err
		}
	}
	return lines, nil
}

// cut ends the line that was begun and all others in the piece, but for the last one that has no end.
func (t *Tail) cut(piece []byte) (lines []string) {
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\n')
		ended := end >= 0
		if !ended {
			end = len(piece)
		}
		if room := maxLine - len(t.begun); end > room {
			end, ended = room, false
		}
		t.begun = append(t.begun, piece[:end]...)
		piece = piece[end:]
		switch {
		case ended:
			piece = piece[1:]
		case len(t.begun) < maxLine:
			return lines
		}
		lines = append(lines, text(t.begun))
		t.begun = t.begun[:0]
	}
	return lines
}

// changed looks whether the name stands for another file now, or for a shorter one, and goes to its beginning. A name that stands for
// nothing leaves the file that is open.
func (t *Tail) changed() (bool, error) {
	var here, there unix.Stat_t
	if err := unix.Fstat(int(t.file.Fd()), &here); err != nil {
		return false, err
	}
	other, err := t.dir.OpenRegular(t.name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	if err := unix.Fstat(int(other.Fd()), &there); err != nil {
		_ = other.Close()
		return false, err
	}
	replaced := here.Ino != there.Ino || here.Dev != there.Dev
	if !replaced && there.Size >= t.offset {
		return false, other.Close()
	}
	_ = t.file.Close() // it was only read
	t.file, t.offset, t.begun = other, 0, nil
	return true, nil
}

func text(line []byte) string { return strings.ToValidUTF8(string(line), "\uFFFD") }
