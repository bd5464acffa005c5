package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// HeldError is returned by Lock when another process has the lock.
type HeldError struct {
	// PID is the holder's, or 0 when it has not written it yet.
	PID int
}

// Error says who holds the lock.
func (e *HeldError) Error() string {
	if e.PID == 0 {
		return "another supervisor holds this state folder"
	}
	return fmt.Sprintf("another supervisor (pid %d) holds this state folder", e.PID)
}

// maxPIDText bounds what is read of a lock file: more than any pid has digits.
const maxPIDText = 32

// Lock takes the lock file at path for this process and writes its pid into it.
// It does not wait: while another process has it the error is a *HeldError. The
// lock ends with release, or with the process, however it ends: the descriptor is
// never inherited. The file itself stays, empty: removing it would let two
// processes hold two files of one name.
func Lock(path string) (release func() error, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := hold(file); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return func() error {
		return errors.Join(file.Truncate(0), file.Close())
	}, nil
}

func hold(file *os.File) error {
	if info, err := file.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if err := take(file); errors.Is(err, unix.EWOULDBLOCK) {
		return &HeldError{PID: writtenPID(file)}
	} else if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// take locks the file for its description alone, or returns EWOULDBLOCK.
func take(file *os.File) error {
	for {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// lockPause is what bbolt waits between two tries.
const lockPause = 50 * time.Millisecond

// takeWithin is take with patience, and then ErrLocked.
func takeWithin(file *os.File, timeout time.Duration) error {
	for deadline := time.Now().Add(timeout); ; time.Sleep(min(lockPause, time.Until(deadline))) {
		if err := take(file); !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if !time.Now().Before(deadline) {
			return fmt.Errorf("%w for longer than %s", ErrLocked, timeout)
		}
	}
}

// writtenPID is 0 unless the file holds one positive number.
func writtenPID(file *os.File) int {
	text, err := io.ReadAll(io.LimitReader(file, maxPIDText))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}
