package proc

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrGone is returned when the process has ended.
var ErrGone = errors.New("the process has ended")

// Handle is a process held by its pidfd. It is safe for concurrent use.
type Handle struct {
	id    Identity
	child bool // ours to reap
	pidfd *os.File
	raw   syscall.RawConn
	done  chan struct{} // closed when the process is gone and, if a child, reaped
	ended chan struct{} // closed when the watching goroutine is

	// mu makes a kill of the group by number and the reap exclude each other.
	mu   sync.Mutex
	exit ExitState // valid once done is closed
	gone bool
}

// hold takes over pidfd, begins to watch the process, and reaps it when it is a child.
func hold(id Identity, pidfd int, child bool) (*Handle, error) {
	if err := unix.SetNonblock(pidfd, true); err != nil {
		return nil, errors.Join(fmt.Errorf("pidfd: %w", err), unix.Close(pidfd))
	}
	h := &Handle{id: id, child: child, done: make(chan struct{}), ended: make(chan struct{})}
	h.pidfd = os.NewFile(uintptr(pidfd), "pidfd")
	raw, err := h.pidfd.SyscallConn()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pidfd: %w", err), h.pidfd.Close())
	}
	h.raw = raw
	go h.watch()
	return h, nil
}

// watch parks in the network poller until the process has ended.
func (h *Handle) watch() {
	defer close(h.ended)
	err := h.raw.Read(fired)
	if err != nil && !h.child {
		return // released
	}
	h.mu.Lock()
	if h.child {
		// Before the reap: as long as the leader is a zombie its group's id cannot be given to anybody else.
		h.killGroup()
		h.exit = reap(h.id.PID)
	}
	h.gone = true
	h.mu.Unlock()
	close(h.done)
	h.pidfd.Close()
}

// fired asks the kernel, without waiting, whether the process of a pidfd has ended.
func fired(pidfd uintptr) bool {
	poll := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 0)
		if !errors.Is(err, unix.EINTR) {
			return err != nil || n > 0
		}
	}
}

// Identity is what the ledger keeps of the process.
func (h *Handle) Identity() Identity { return h.id }

// Done is closed when the process has ended and, if it is a child, has been reaped and its group killed.
func (h *Handle) Done() <-chan struct{} { return h.done }

// Fired asks the kernel whether the process has ended. It may be true shortly before Done is closed.
func (h *Handle) Fired() bool {
	ended := true
	if err := h.raw.Control(func(pidfd uintptr) { ended = fired(pidfd) }); err != nil {
		return true
	}
	return ended
}

// Exit returns how the process ended; false as long as Done is not closed.
func (h *Handle) Exit() (ExitState, bool) {
	select {
	case <-h.done:
		return h.exit, true
	default:
		return ExitState{}, false
	}
}

// Release gives up a process that is not our child, so that nothing watches it any more. A child cannot be given up: it is
// held until it has been reaped, and Release does nothing.
func (h *Handle) Release() {
	if h.child {
		return
	}
	h.pidfd.Close()
	<-h.ended
}
