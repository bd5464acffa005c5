package tasks

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rookery/capsule/beneath"
	"rookery/capsule/handle"
	"rookery/capsule/linelog"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/egress"
	"rookery/worker/internal/live"
	"rookery/worker/ops"
	"rookery/worker/trace"
)

// Config is what a session is made of.
type Config struct {
	Assigned *workerv1.AssignRequest
	// Load makes the capsule's code ready to run.
	Load func() (Executor, error)
	// HostSock is the path of the supervisor's socket.
	HostSock string
	// Door is the door's listener; the session closes it.
	Door                   net.Listener
	Work, Runtime, Records *beneath.Dir
	// Mounts are the descriptors of the assignment's mounts.
	Mounts []int
	// Stdout and Stderr are the guest's two logs.
	Stdout, Stderr *linelog.Log
	Post           *egress.Client
	// Containment is the class this worker has achieved.
	Containment string
	Log         zerolog.Logger
	// Exit leaves the process at once, without waiting for anything in it.
	Exit func(code int)
}

// Session is one session. Run it once; End may be called at any time.
type Session struct {
	Config
	spawner *handle.Spawner
	started time.Time

	trace        *trace.Writer
	sessionEvent string
	taskEvent    string
	children     *ops.Children
	calls        *ops.Calls
	events       *ops.Events
	artifacts    *ops.Artifacts
	task         *live.Task
	refused      refusals

	stopGuest context.CancelFunc
	guestDone chan struct{} // closed when the guest has ended

	mu      sync.Mutex    // guards cause and why
	cause   string        // the session's own reason to stop, in the words of a record
	why     string        // of End, for the trace
	stopped chan struct{} // closed when cause is set
	asked   chan struct{} // closed when End was called
	record  atomic.Int32  // who may write the records
}

// States of Session.record: whoever changes it first decides.
const (
	recordOpen int32 = iota
	recordClaimed
	recordForbidden
)

// New checks the assignment. Its error is for the supervisor: an unreadable spawner
// handle (E-RUN-020) refuses the session.
func New(c Config) (*Session, error) {
	if n, given := len(c.Assigned.GetFilesystem().GetMounts()), len(c.Mounts); n != given {
		return nil, fmt.Errorf("%d mounts and %d descriptors of mounts", n, given)
	}
	s := &Session{
		Config: c, started: time.Now(), guestDone: make(chan struct{}), events: ops.NewEvents(),
		stopped: make(chan struct{}), asked: make(chan struct{}),
	}
	task := c.Assigned.GetTask()
	s.artifacts = ops.NewArtifacts(c.Records, task.GetTaskId())
	s.task = live.New(task.GetTaskId(), task.GetContextId())
	if value := c.Assigned.GetSpawner(); value != "" {
		spawner, err := handle.Parse(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", handle.Code, err)
		}
		s.spawner = &spawner
	}
	return s, nil
}

// End asks the session to end. It returns at once; Run returns, or the process
// ends, within 700 ms. No record is written that was not begun before.
func (s *Session) End(cause workerv1.EndCause, detail string) {
	s.record.CompareAndSwap(recordOpen, recordForbidden)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.asked:
		return
	default:
	}
	if detail == "" {
		detail = cause.String()
	}
	s.why = detail
	close(s.asked)
}

// stop gives the session a reason of its own to stop. The first one stands.
func (s *Session) stop(cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause == "" {
		s.cause = cause
		close(s.stopped)
	}
}

// ownCause is the session's own reason to stop, empty when there is none.
func (s *Session) ownCause() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

// endedBy is why End was called.
func (s *Session) endedBy() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// reason is why the session stops, whoever wants it.
func (s *Session) reason() string {
	if cause := s.ownCause(); cause != "" {
		return cause
	}
	return s.endedBy()
}

func (s *Session) endAsked() bool {
	select {
	case <-s.asked:
		return true
	default:
		return false
	}
}

// traceFailed ends the session: what it does must be on record.
func (s *Session) traceFailed(err error) {
	s.Log.Error().Err(err).Msg("the session ends")
	s.stop(err.Error())
}
