package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// errGone is why a command that follows ends before what it follows does.
var errGone = errors.New("nobody reads stdout any more")

// follow is stream for what may print nothing for hours: it ends also when nobody reads stdout any more, which a write would find
// only at the next change. It then fails without a word, as the write would.
func (a *address) follow(ctx context.Context, fn func(context.Context, operatorv1.OperatorServiceClient) error) error {
	ctx, release, err := whileRead(ctx, a.env.Stdout)
	if err != nil {
		return failed("stdout: %w", err)
	}
	defer release()
	err = a.stream(ctx, fn)
	if errors.Is(context.Cause(ctx), errGone) {
		return errQuietFailure
	}
	return err
}

// whileRead returns a context that is cancelled with errGone when the other end of out, a pipe or a terminal, is closed. The caller
// calls release, which waits for the goroutine that looks.
func whileRead(ctx context.Context, out io.Writer) (_ context.Context, release func(), _ error) {
	file, ok := out.(*os.File)
	if !ok {
		return ctx, func() {}, nil
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	woken, wake, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = conn.Control(func(fd uintptr) { // its only error is of a closed file, to which nobody writes
			if closedFirst(int32(fd), int32(woken.Fd())) {
				cancel(errGone)
			}
		})
	}()
	return ctx, func() {
		_ = wake.Close()
		<-done
		_ = woken.Close()
		cancel(nil)
	}, nil
}

// closedFirst waits until the other end of one of two descriptors is closed and reports whether it was out's.
func closedFirst(out, woken int32) bool {
	const closed = unix.POLLERR | unix.POLLHUP
	for {
		fds := []unix.PollFd{{Fd: out}, {Fd: woken}}
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || fds[1].Revents != 0:
			return false
		default:
			return fds[0].Revents&closed != 0
		}
	}
}
