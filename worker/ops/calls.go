package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rookery/capsule/beneath"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/hostlink"
	"rookery/worker/internal/live"
	"rookery/worker/trace"
)

// maxRequest bounds a request, and a task's text read from a file, in bytes.
const maxRequest = 1 << 20

// Config is what the ops of one task need.
type Config struct {
	// Assigned is the session and its task, as the supervisor gave them.
	Assigned *workerv1.AssignRequest
	// DeadlineAt is when the capsule is ended; zero when nothing ends it.
	DeadlineAt time.Time
	Link       *hostlink.Link
	Children   *Children
	Events     *Events
	// Task is what the door shows of the task.
	Task *live.Task
	// Artifacts takes what the guest gives away.
	Artifacts *Artifacts
	// Trace is the session's trace, Event the task's event in it.
	Trace *trace.Writer
	Event string
	// Delegated: there is somebody who wants to know how far the task is.
	Delegated bool
	// Stop ends the session for this cause, in the words of a record. It must return at
	// once.
	Stop func(cause string)
	// Work is the capsule's work folder.
	Work *beneath.Dir
	// GuestLog takes what the guest says with the op log.
	GuestLog io.Writer
	Log      zerolog.Logger
}

// Calls answers one task's calls. Call is for one goroutine at a time, as a guest
// has but one; Cancel and the rest are safe from any.
type Calls struct {
	table      []op
	assigned   *workerv1.AssignRequest
	deadlineAt time.Time
	link       *hostlink.Link
	children   *Children
	events     *Events
	task       *live.Task
	artifacts  *Artifacts
	trace      *trace.Writer
	event      string
	delegated  bool
	stop       func(string)
	work       *beneath.Dir
	guestLog   io.Writer
	log        zerolog.Logger
	words      trace.Budget
	pieces     trace.Budget
	questions  trace.Budget
	replies    trace.Budget
	ended      atomic.Pointer[Finish]

	canceling context.Context //nolint:containedctx // ended by Cancel, whatever call is under way
	cancel    context.CancelFunc
	told      atomic.Bool // the guest has had its one canceled answer
}

// New returns the ops of one task. They are canceled at the latest when ctx ends.
func New(ctx context.Context, c Config) *Calls {
	calls := &Calls{
		table: table(), assigned: c.Assigned, deadlineAt: c.DeadlineAt, link: c.Link,
		children: c.Children, events: c.Events, task: c.Task, artifacts: c.Artifacts, trace: c.Trace, event: c.Event,
		delegated: c.Delegated, stop: c.Stop, work: c.Work, guestLog: c.GuestLog, log: c.Log,
		words: trace.Budget{Now: time.Now}, pieces: trace.Budget{Now: time.Now},
		questions: trace.Budget{Now: time.Now}, replies: trace.Budget{Now: time.Now},
	}
	calls.canceling, calls.cancel = context.WithCancel(ctx)
	return calls
}

// Cancel makes the op that blocks now, or else the next one, answer canceled. After
// that one answer, ops that only tell something go on working, so that the guest
// can leave an answer, and nothing blocks or starts any more. The reason is an event.
func (c *Calls) Cancel(reason string) {
	if c.canceled() {
		return
	}
	// First this, so that whoever is woken by the event sees it.
	c.cancel()
	c.events.add(event{Kind: kindCancel, Cancel: &cancelNote{reason}})
}

// Call answers one op. The response is JSON: {"ok": …} or {"error": …}.
func (c *Calls) Call(ctx context.Context, name string, request []byte) []byte {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.canceling, cancel)()
	result, err := c.answer(ctx, name, request)
	if err != nil {
		fault := c.faultOf(ctx, name, err)
		if fault.Code == codeCanceled {
			c.told.Store(true)
		}
		return encodeFault(fault)
	}
	data, err := encode(struct {
		OK any `json:"ok"`
	}{result})
	if err != nil {
		return encodeFault(c.faultOf(ctx, name, err))
	}
	return data
}

func (c *Calls) answer(ctx context.Context, name string, request []byte) (any, error) {
	if c.canceled() && c.told.CompareAndSwap(false, true) {
		return nil, canceled()
	}
	o, err := c.find(name)
	if err != nil {
		return nil, err
	}
	if len(request) > maxRequest {
		return nil, tooLarge(int64(len(request)), maxRequest, "the request is larger than the limit of %d bytes", maxRequest)
	}
	return o.answer(ctx, c, request)
}

func (c *Calls) canceled() bool { return c.canceling.Err() != nil }

func encodeFault(f *opError) []byte {
	type wire struct {
		Code         string `json:"code"`
		Message      string `json:"message"`
		RetryAfterMS int64  `json:"retry_after_ms,omitempty"`
		Data         *limit `json:"data,omitempty"`
	}
	// Strings and numbers: encoding cannot fail.
	data, _ := encode(struct {
		Error wire `json:"error"`
	}{wire{f.Code, f.Message, f.RetryAfter.Milliseconds(), f.Limit}})
	return data
}

// encode is json.Marshal without its care for HTML, which nobody needs here and
// which would make answers six times as long.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}
