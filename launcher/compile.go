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

const (
	// CompileTimeout bounds a compilation when the caller does not. A Go guest of some megabytes takes over a second.
	CompileTimeout = 2 * time.Minute
	// CompileMemory bounds the memory a compilation may write to, in bytes, when the caller does not: RLIMIT_DATA, which
	// leaves out what is only reserved.
	CompileMemory = 4 << 30
	// compileOutput bounds every file a compilation writes, in bytes. Native code is some three times the size of the wasm.
	compileOutput = 1 << 30
	// compileTail is how much of what it prints is kept.
	compileTail = 4 << 10
)

// CompileLimits bound one compilation. Zero values mean CompileTimeout and CompileMemory.
type CompileLimits struct {
	Time   time.Duration
	Memory uint64
}

// Compile runs the worker program as `worker compile`: wasm on descriptor 3, native code to descriptor 4, in an environment
// from nothing and a group of its own, which is killed when ctx or the time ends. No guest runs in it. It returns when the
// process has been reaped. The error holds the last line that the process printed, escaped; out is of no use then.
func (l *Launcher) Compile(ctx context.Context, wasm, out *os.File, limits CompileLimits) error {
	if limits.Time == 0 {
		limits.Time = CompileTimeout
	}
	if limits.Memory == 0 {
		limits.Memory = CompileMemory
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, fmt.Errorf("not done within %v", limits.Time))
	defer cancel()
	if err := l.compile(ctx, wasm, out, limits.Memory); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	return nil
}

func (l *Launcher) compile(ctx context.Context, wasm, out *os.File, memory uint64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	printed, printing, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	process, err := proc.Start(proc.Command{
		Path:  l.config.WorkerPath,
		Args:  []string{filepath.Base(l.config.WorkerPath), "compile"},
		Env:   compose.RuntimeEnv(),
		Files: []uintptr{null.Fd(), null.Fd(), printing.Fd(), wasm.Fd(), out.Fd()},
	})
	runtime.KeepAlive(null)
	if err := errors.Join(err, printing.Close()); err != nil {
		return err
	}
	tail := gather(printed)
	bounded := errors.Join(
		process.Limit(unix.RLIMIT_DATA, memory),
		process.Limit(unix.RLIMIT_FSIZE, compileOutput),
		process.Limit(unix.RLIMIT_CORE, 0),
	)
	if bounded == nil || errors.Is(bounded, proc.ErrGone) {
		select {
		case <-process.Done():
			return compiled(process, tail())
		case <-ctx.Done():
			bounded = context.Cause(ctx)
		}
	}
	// Gone meanwhile is as good as killed.
	_ = process.KillGroup()
	err = waitFor(process.Done())
	tail()
	return errors.Join(bounded, err)
}

// compiled words the end of a compilation that was let run.
func compiled(process *proc.Handle, printed string) error {
	exit, _ := process.Exit()
	if exit.Success() {
		return nil
	}
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	return errors.New(crash.Detail(exit, crash.Clean(lines[len(lines)-1]), nil))
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
			tail = tail[max(0, len(tail)-compileTail):]
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

// CloseOnExecAll marks every descriptor from 3 up close-on-exec. The supervisor's main calls it first of all: what it inherited
// itself without that mark would reach every worker.
func CloseOnExecAll() error { return proc.CloseOnExecAll() }
