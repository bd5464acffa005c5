package peercred

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// ErrNotUnix is returned for a connection that has no peer credentials.
var ErrNotUnix = errors.New("not a unix socket connection")

// ErrGone is returned when the process at the other end has ended.
var ErrGone = errors.New("the process at the other end has ended")

// Of returns the pid and uid of the process at the other end of conn: seen by a server, the one that called connect; seen by
// a client, the one that called listen. It returns an error for which errors.Is answers ErrNotUnix or ErrGone, or what the
// kernel refused.
func Of(conn net.Conn) (pid int, uid uint32, err error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, 0, ErrNotUnix
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, 0, fmt.Errorf("peer credentials: %w", err)
	}
	var cred *unix.Ucred
	var refused error
	if err := raw.Control(func(fd uintptr) {
		if cred, refused = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); refused == nil {
			refused = alive(int(fd))
		}
	}); err != nil {
		return 0, 0, fmt.Errorf("peer credentials: %w", err)
	}
	if refused != nil {
		return 0, 0, fmt.Errorf("peer credentials: %w", refused)
	}
	return int(cred.Pid), cred.Uid, nil
}

// alive refuses a peer that has ended: its pid may be somebody else's by now. SO_PEERCRED is a number noted when the
// connection was made; SO_PEERPIDFD is that very process. A kernel without it leaves the check to the caller's own pidfd.
func alive(fd int) error {
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	switch {
	case errors.Is(err, unix.ENOPROTOOPT):
		return nil
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENODATA):
		// Which of them depends on the kernel; each means that there is no such process any more.
		return ErrGone
	case err != nil:
		return err
	}
	defer unix.Close(pidfd)
	poll := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n > 0 {
			err = ErrGone
		}
		return err
	}
}
