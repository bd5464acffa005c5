package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ErrStranger is returned when a pid belongs to another process than the identity names: that one has ended.
var ErrStranger = errors.New("the pid belongs to another process")

// Verify holds the process that id names, if it is that very process and alive: for what a dead supervisor left. It is not a
// child, so its exit status stays unknown. Errors are those for which errors.Is answers ErrGone or ErrStranger, or what the
// kernel refused; in every such case nothing was signalled and nothing is held.
func Verify(id Identity) (*Handle, error) {
	boot, err := BootID()
	if err != nil {
		return nil, err
	}
	if id.BootID != boot {
		return nil, fmt.Errorf("pid %d of another boot: %w", id.PID, ErrGone)
	}
	// Group 1 would be everybody, and a ledger that names us is not to be believed.
	if id.PID <= 1 || id.PID == os.Getpid() {
		return nil, fmt.Errorf("pid %d was never ours to start: %w", id.PID, ErrStranger)
	}
	pidfd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EINVAL) {
		// EINVAL: the number is a thread's, so no process has it.
		return nil, fmt.Errorf("pid %d: %w", id.PID, ErrGone)
	}
	if err != nil {
		return nil, fmt.Errorf("pid %d: %w", id.PID, err)
	}
	if err := same(id, pidfd); err != nil {
		return nil, errors.Join(err, unix.Close(pidfd))
	}
	return hold(id, pidfd, false)
}

// same compares the start time. The pidfd comes first and is asked last: if its process is alive at the end, it was its
// start time that was read in between.
func same(id Identity, pidfd int) error {
	started, err := startTime(id.PID)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("pid %d: %w", id.PID, ErrGone)
	}
	if err != nil {
		return err
	}
	if started != id.StartTime {
		return fmt.Errorf("pid %d started at tick %d, not %d: %w", id.PID, started, id.StartTime, ErrStranger)
	}
	if fired(uintptr(pidfd)) {
		return fmt.Errorf("pid %d: %w", id.PID, ErrGone)
	}
	// Signal 0: may we signal it at all?
	if err := unix.PidfdSendSignal(pidfd, 0, nil, 0); err != nil {
		return fmt.Errorf("pid %d: %w", id.PID, err)
	}
	return nil
}
