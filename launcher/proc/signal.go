package proc

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal sends sig to the process. It returns ErrGone when the process has ended. Signal 0 only asks.
func (h *Handle) Signal(sig syscall.Signal) error {
	return h.send(sig, 0)
}

// KillGroup sends SIGKILL to the process and to every process of its group. It returns ErrGone when the process has ended;
// its group was killed then, before the reap.
func (h *Handle) KillGroup() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return ErrGone
	}
	err := h.send(unix.SIGKILL, 0)
	h.killGroup()
	return err
}

// killGroup needs mu. Nobody to kill is no error.
func (h *Handle) killGroup() {
	err := h.send(unix.SIGKILL, unix.PIDFD_SIGNAL_PROCESS_GROUP)
	if errors.Is(err, unix.EINVAL) && (h.child || !h.Fired()) {
		// Linux before 6.9 knows groups only by number. The number is ours: a child is not reaped before mu is free, and
		// somebody else's process was there a moment ago.
		_ = unix.Kill(-h.id.PID, unix.SIGKILL)
	}
}

func (h *Handle) send(sig syscall.Signal, flags int) error {
	var refused error
	if err := h.raw.Control(func(pidfd uintptr) {
		refused = unix.PidfdSendSignal(int(pidfd), sig, nil, flags)
	}); err != nil {
		return ErrGone // the pidfd is closed: watch has seen the end
	}
	switch {
	case refused == nil:
		return nil
	case errors.Is(refused, unix.ESRCH):
		return ErrGone
	default:
		return fmt.Errorf("signal %v to pid %d: %w", sig, h.id.PID, refused)
	}
}

// Limit bounds what the process may use of a resource (unix.RLIMIT_…), softly and hard.
func (h *Handle) Limit(resource int, value uint64) error {
	// The pid is the process's own as long as nobody has reaped it, which mu keeps away.
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return ErrGone
	}
	if err := unix.Prlimit(h.id.PID, resource, &unix.Rlimit{Cur: value, Max: value}, nil); err != nil {
		return fmt.Errorf("limit %d of pid %d to %d: %w", resource, h.id.PID, value, err)
	}
	return nil
}
