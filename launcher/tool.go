package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rookery/launcher/compose"
	"rookery/launcher/crash"
	"rookery/launcher/proc"
)

// toolTail is how much is kept of what a one-shot process prints, in bytes.
const toolTail = 4 << 10

// tool is the worker program run for one answer: no session, no guest, in a group of its own and an environment from nothing.
type tool struct {
	path string
	verb string // its one argument
	// files become descriptors 3 and up. 0 is null, 1 and 2 are read by run.
	files []*os.File
	// limits bound the process, by resource (unix.RLIMIT_…). They are set right after the fork.
	limits map[int]uint64
}

// run returns the end of what the process printed, once it has been reaped. The error says how it failed, with the last line it
// printed, escaped; or it is the cause of ctx's end, which kills the process and its group.
func (t tool) run(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer null.Close()
	printed, printing, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer printed.Close()
	descriptors := []uintptr{null.Fd(), printing.Fd(), printing.Fd()}
	for _, file := range t.files {
		descriptors = append(descriptors, file.Fd())
	}
	process, err := proc.Start(proc.Command{
		Path: t.path, Args: []string{filepath.Base(t.path), t.verb}, Env: compose.ToolEnv(), Files: descriptors,
	})
	runtime.KeepAlive(null)
	runtime.KeepAlive(t)
	if err := errors.Join(err, printing.Close()); err != nil {
		return "", err
	}
	tail := gather(printed)
	if err := t.bound(ctx, process); err != nil {
		_ = process.KillGroup() // gone meanwhile is as good as killed
		err = errors.Join(err, waitFor(process.Done()))
		tail()
		return "", err
	}
	said := tail()
	exit, _ := process.Exit()
	if exit.Success() {
		return said, nil
	}
	lines := strings.Split(strings.TrimRight(said, "\n"), "\n")
	if last := crash.Clean(lines[len(lines)-1]); last != "" {
		return "", fmt.Errorf("%s: %s", exit, last)
	}
	return "", errors.New(exit.String())
}

// bound limits the process and waits for its end.
func (t tool) bound(ctx context.Context, process *proc.Handle) error {
	for resource, value := range t.limits {
		if err := process.Limit(resource, value); err != nil && !errors.Is(err, proc.ErrGone) {
			return err
		}
	}
	if err := process.Limit(unix.RLIMIT_CORE, 0); err != nil && !errors.Is(err, proc.ErrGone) {
		return err
	}
	select {
	case <-process.Done():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// gather reads what a process prints, so that printing never stops it, and keeps the end. The returned function is called once
// the process is gone: it ends the reading, which a descendant could prolong, and returns what was kept.
func gather(printed *os.File) func() string {
	kept := make(chan string, 1)
	go func() {
		var tail []byte
		var piece [4 << 10]byte
		for {
			n, err := printed.Read(piece[:])
			tail = append(tail, piece[:n]...)
			tail = tail[max(0, len(tail)-toolTail):]
			if err != nil {
				kept <- string(tail)
				return
			}
		}
	}()
	return func() string {
		// What the process wrote is in the pipe: the reader has it long before this.
		_ = printed.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		return <-kept
	}
}
