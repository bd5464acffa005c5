package launcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
)

// Config is what all workers of a supervisor have in common.
type Config struct {
	// WorkerPath is the worker program, absolute.
	WorkerPath string
	// State is the state folder, made by layout.Create.
	State layout.State
	// Log gets what no call can return. Its keys are session, capsule and pid.
	Log zerolog.Logger
}

// Launcher starts workers and knows those that live. It is safe for concurrent use.
type Launcher struct {
	config Config
	state  *beneath.Dir
	host   *beneath.Dir // the folder of host.sock, for every worker

	mu      sync.RWMutex
	workers map[int]*Worker // by pid, until reaped
}

// New checks the worker program and holds the state folder. Its error names the path at fault.
func New(config Config) (*Launcher, error) {
	if err := runnable(config.WorkerPath); err != nil {
		return nil, err
	}
	state, err := beneath.Open(config.State.Root)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	host, err := beneath.Open(config.State.HostDir())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("folder of the host socket: %w", err), state.Close())
	}
	return &Launcher{config: config, state: state, host: host, workers: map[int]*Worker{}}, nil
}

func runnable(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("worker program %q: not an absolute path", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("worker program: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("worker program %s: not a regular file", path)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return fmt.Errorf("worker program %s: %w", path, err)
	}
	return nil
}

// Close lets go of the state folder. Every Worker must have been closed.
func (l *Launcher) Close() error {
	return errors.Join(l.host.Close(), l.state.Close())
}

// ByPID returns the worker whose process has the pid and is alive: for whoever learnt the pid of a caller from the kernel.
func (l *Launcher) ByPID(pid int) (*Worker, bool) {
	l.mu.RLock()
	worker := l.workers[pid]
	l.mu.RUnlock()
	if worker == nil || worker.process.Fired() {
		return nil, false
	}
	return worker, true
}

func (l *Launcher) add(w *Worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.workers[w.process.Identity().PID] = w
}

// remove forgets a reaped worker, unless its pid is already a newer worker's.
func (l *Launcher) remove(w *Worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if pid := w.process.Identity().PID; l.workers[pid] == w {
		delete(l.workers, pid)
	}
}
