package roots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rookery/capsule/atomicfile"
)

// maxMark bounds reading a mark: it holds one time.
const maxMark = 64

// Mark notes at path, durably, that a fleet is up since now. When the mark of an earlier supervisor stands there, that one was not stopped
// cleanly: its mark stays, and begun is since when that fleet was up. An unreadable mark is an error for which errors.Is answers
// ErrMark; it is replaced.
func Mark(path string, now time.Time) (begun time.Time, clean bool, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return now, true, atomicfile.Write(path, []byte(now.UTC().Format(time.RFC3339Nano)+"\n"), 0o600)
	case err != nil:
		return now, false, err
	}
	begun, err = time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text[:min(len(text), maxMark)])))
	if err != nil {
		fault := fmt.Errorf("%w: %s holds %.80q", ErrMark, path, text)
		return now, true, errors.Join(fault, atomicfile.Write(path, []byte(now.UTC().Format(time.RFC3339Nano)+"\n"), 0o600))
	}
	return begun, false, nil
}

// ErrMark is a mark that says nothing: every root is started anew.
var ErrMark = errors.New("not the mark of a fleet that is up")

// Unmark notes that the fleet was stopped cleanly.
func Unmark(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.SyncDir(int(folder.Fd())), folder.Close())
}
