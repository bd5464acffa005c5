package launcher

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rookery/capsule/beneath"
	"rookery/capsule/linelog"
	"rookery/launcher/compose"
	"rookery/launcher/crash"
	"rookery/launcher/proc"
	"rookery/launcher/runner"
	workerv1 "rookery/proto/rookery/worker/v1"
)

const (
	// sweepEvery is how often the size of a live worker's log is looked at.
	sweepEvery = 2 * time.Second
	// killWait bounds waiting for a process that was sent SIGKILL. A worker is gone within some 10 ms; what takes this long
	// is stuck in the kernel.
	killWait = 10 * time.Second
	// tailBytes bounds what is read for the guest's last lines.
	tailBytes = 16 << 10
)

// ErrStuck is returned when a process that was sent SIGKILL is still there ten seconds later. Done tells when it ends.
var ErrStuck = errors.New("the process has not ended within " + killWait.String() + " of SIGKILL")

// Worker is a session's process. It is safe for concurrent use.
type Worker struct {
	launcher *Launcher
	spec     Spec
	process  *proc.Handle
	plugin   *runner.Client
	folders  *compose.Folders
	logs     logs
	door     *Door
	startBy  time.Time
	log      zerolog.Logger

	mu      sync.Mutex // guards gate, service and closed
	gate    *os.File   // nil once opened or given up
	service workerv1.WorkerServiceClient
	closed  bool

	done     chan struct{} // closed by watch when the two below are set
	exit     Exit
	lastLine string // of the worker's own log, for a start that failed without a dump
}

// Exit is how a worker's process ended.
type Exit struct {
	State proc.ExitState
	// DumpLine is the first line of the dump in the worker's own log; "" when there is none.
	DumpLine string
	// GuestStderr are the guest's last lines, at most crash.Lines. They are data.
	GuestStderr []string
}

// Detail words the exit for a record, see crash.Detail.
func (e Exit) Detail() string { return crash.Detail(e.State, e.DumpLine, e.GuestStderr) }

// Identity is what the ledger keeps of the process.
func (w *Worker) Identity() proc.Identity { return w.process.Identity() }

// SessionID is the session that the process runs.
func (w *Worker) SessionID() string { return w.spec.SessionID }

// URL is the door's, http://host:port.
func (w *Worker) URL() string { return w.door.URL() }

// Records is the session's records folder, held until Close.
func (w *Worker) Records() *beneath.Dir { return w.folders.Records }

// Runtime is the session's runtime folder, held until Close.
func (w *Worker) Runtime() *beneath.Dir { return w.folders.Runtime }

// Work is the session's work folder, held until Close.
func (w *Worker) Work() *beneath.Dir { return w.folders.Work }

// OpenGate lets the process run, and ends a stand-in at its door. It fails when the process has ended.
func (w *Worker) OpenGate() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gate == nil {
		return errors.New("open the gate: it was opened before, or the worker is closed")
	}
	w.door.yield()
	_, err := w.gate.Write([]byte{1})
	if err := errors.Join(err, closeAll(&w.gate)); err != nil {
		return fmt.Errorf("open the gate: %w", err)
	}
	return nil
}

// Done is closed when the process has ended and been reaped, its group killed, and Exit is known.
func (w *Worker) Done() <-chan struct{} { return w.done }

// Gone asks the kernel whether the process has ended. It may be true shortly before Done is closed.
func (w *Worker) Gone() bool { return w.process.Fired() }

// Exit waits for Done and returns how the process ended.
func (w *Worker) Exit() Exit {
	<-w.done
	return w.exit
}

// watch belongs to the Worker: it ends with the process, and Close waits for that.
func (w *Worker) watch() {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for alive := true; alive; {
		select {
		case <-w.process.Done():
			alive = false
		case <-sweep.C:
			w.sweep()
		}
	}
	w.launcher.remove(w)
	w.plugin.Gone()
	w.exit.State, _ = w.process.Exit()
	w.exit.DumpLine = crash.DumpLine(w.logs.worker)
	w.lastLine = crash.LastLine(w.logs.worker)
	w.exit.GuestStderr = linelog.Tail(w.logs.guestStderr, crash.Lines, tailBytes)
	w.sweep()
	close(w.done)
}

func (w *Worker) sweep() {
	if err := w.logs.sweep(); err != nil {
		w.log.Warn().Err(err).Msg("worker log not bounded")
	}
}

// Close waits for Done and releases what the session had but its records, its work folder and its door: see CloseDoor. It may
// be called again.
func (w *Worker) Close() {
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	if err := errors.Join(w.plugin.Close(), closeAll(&w.gate), w.logs.close(), w.folders.End()); err != nil {
		w.log.Warn().Err(err).Msg("worker not cleared away")
	}
}

// waitFor waits for a process that was sent SIGKILL.
func waitFor(done <-chan struct{}) error {
	late := time.NewTimer(killWait)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return ErrStuck
	}
}
