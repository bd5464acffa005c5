package wasi

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// waiter makes the end of a context visible to ppoll: an eventfd that is readable from
// then on. So a wait needs neither a goroutine nor a timer of Go's.
type waiter struct {
	fd   int
	stop func() bool
	done chan struct{}
}

func (w *waiter) open(ctx context.Context) error {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("wasi: eventfd: %w", err)
	}
	w.fd, w.done = fd, make(chan struct{})
	w.stop = context.AfterFunc(ctx, func() {
		defer close(w.done)
		_, _ = unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // it can only fail when the count is full: woken already
	})
	return nil
}

func (w *waiter) close() {
	if !w.stop() {
		<-w.done
	}
	unix.Close(w.fd)
	w.fd = -1
}

// forever is a wait without a time of its own.
const forever = time.Duration(-1)

// wait returns when one of fds[1:] is ready, when the time has passed, or with
// canceled when the task's context has ended. fds[0] is for the waiter.
func (h *Host) wait(fds []unix.PollFd, timeout time.Duration) Errno {
	h.out.flush()
	fds[0] = unix.PollFd{Fd: int32(h.waiter.fd), Events: unix.POLLIN}
	start := time.Now()
	for {
		var left *unix.Timespec
		if timeout >= 0 {
			t := unix.NsecToTimespec(int64(max(0, timeout-time.Since(start))))
			left = &t
		}
		switch _, err := unix.Ppoll(fds, left, nil); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return errnoOf(err)
		case fds[0].Revents != 0:
			return canceled
		}
		return Success
	}
}

// ready waits until f can be read or written; a guest that asked not to wait is told
// at once.
func (h *Host) ready(f *file, events int16) Errno {
	timeout := forever
	if f.flags&fdNonblock != 0 {
		timeout = 0
	}
	var fds [2]unix.PollFd
	fds[1] = unix.PollFd{Fd: int32(f.fd), Events: events}
	e := h.wait(fds[:], timeout)
	if e == Success && fds[1].Revents == 0 {
		return Again
	}
	return e
}
