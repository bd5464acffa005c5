package launcher

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// CompileTimeout bounds a compilation when the caller does not. A Go guest of some megabytes takes over a second.
	CompileTimeout = 2 * time.Minute
	// CompileMemory bounds the memory a compilation may write to, in bytes, when the caller does not: RLIMIT_DATA, which
	// leaves out what is only reserved.
	CompileMemory = 4 << 30
	// compileOutput bounds every file a compilation writes, in bytes. Native code is some three times the size of the wasm.
	compileOutput = 1 << 30
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
	_, err := tool{
		path:   l.config.WorkerPath,
		verb:   "compile",
		files:  []*os.File{wasm, out},
		limits: map[int]uint64{unix.RLIMIT_DATA: limits.Memory, unix.RLIMIT_FSIZE: compileOutput},
	}.run(ctx)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	return nil
}
