package proc

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Command is a process to start.
type Command struct {
	// Path of the program, absolute.
	Path string
	// Args are the arguments, the program's own name first.
	Args []string
	// Env is the whole environment.
	Env []string
	// Files are the descriptors the process gets as 0, 1, 2 and so on, and no others. The caller keeps and closes them.
	Files []uintptr
}

// Start starts a process in a group of its own, with "/" as its working directory, and holds it. Its error is what the kernel
// says (no such file, permission denied) and does not name the program: it may be told to a capsule.
//
// The process inherits no descriptor but those listed: all others must be close-on-exec, which Go's own are.
func Start(command Command) (*Handle, error) {
	pidfd := -1
	pid, err := syscall.ForkExec(command.Path, command.Args, &syscall.ProcAttr{
		Dir:   "/",
		Env:   command.Env,
		Files: command.Files,
		// No parent-death signal: what it kills is what a next supervisor should find alive.
		Sys: &syscall.SysProcAttr{Setpgid: true, PidFD: &pidfd},
	})
	if err != nil {
		return nil, err
	}
	if pidfd < 0 {
		err := errors.New("the kernel gave no pidfd, Linux 5.4 or newer is needed")
		return nil, errors.Join(err, discard(pid))
	}
	id, err := identify(pid)
	if err != nil {
		return nil, errors.Join(err, unix.Close(pidfd), discard(pid))
	}
	h, err := hold(id, pidfd, true)
	if err != nil {
		return nil, errors.Join(err, discard(pid))
	}
	return h, nil
}

// discard ends a child that cannot be held.
func discard(pid int) error {
	if err := unix.Kill(-pid, unix.SIGKILL); err != nil {
		return fmt.Errorf("kill pid %d: %w", pid, err)
	}
	reap(pid)
	return nil
}
