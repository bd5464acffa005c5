package proc

import (
	"fmt"
	"syscall"
	"time"
)

// ExitState is how a process ended.
type ExitState struct {
	// Code is what it exited with; 0 when a signal ended it.
	Code int
	// Signal is what ended it; 0 when it exited.
	Signal syscall.Signal
	// Core says that the kernel wrote a core dump.
	Core bool
	// Known is false for a process whose status its parent has and we have not.
	Known bool
	// MaxRSS is the most memory it had resident, in bytes.
	MaxRSS int64
	// UserMS and SysMS are the processor time it used, in milliseconds.
	UserMS, SysMS int64
}

// String is the state in the words of records: "exit status 3", "signal: killed", "exit status unknown".
func (s ExitState) String() string {
	switch {
	case !s.Known:
		return "exit status unknown"
	case s.Signal != 0 && s.Core:
		return "signal: " + s.Signal.String() + " (core dumped)"
	case s.Signal != 0:
		return "signal: " + s.Signal.String()
	default:
		return fmt.Sprintf("exit status %d", s.Code)
	}
}

// Success says that the process exited with status 0.
func (s ExitState) Success() bool { return s.Known && s.Signal == 0 && s.Code == 0 }

// reap takes the child's status out of the kernel, after which its pid may be somebody else's.
func reap(pid int) ExitState {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		_, err := syscall.Wait4(pid, &status, 0, &usage)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			// Somebody else has waited for our child: how it ended is lost, that it ended is not.
			return ExitState{}
		}
		break
	}
	state := ExitState{
		Known:  true,
		MaxRSS: usage.Maxrss * 1024, // getrusage(2): kilobytes
		UserMS: time.Duration(usage.Utime.Nano()).Milliseconds(),
		SysMS:  time.Duration(usage.Stime.Nano()).Milliseconds(),
	}
	if status.Signaled() {
		state.Signal, state.Core = status.Signal(), status.CoreDump()
	} else {
		state.Code = status.ExitStatus()
	}
	return state
}
