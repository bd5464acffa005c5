package ops

import (
	"sync"

	hostv1 "rookery/proto/rookery/host/v1"
)

// Kinds of events.
const (
	kindOutcome  = "outcome"
	kindProgress = "progress"
	kindInput    = "input"
	kindCancel   = "cancel"
)

// maxPassing bounds the events that may be forgotten, progress and input, to the newest:
// outcomes are kept, and their number is bounded by admission.
const maxPassing = 256

// maxPassingBytes bounds the text and data that they hold together: a message may have a megabyte.
const maxPassingBytes = 8 << 20

// event is one thing that happened, as a guest is told it. Kind names the field that is
// there.
type event struct {
	Seq      uint64         `json:"seq" doc:"Its place in the order, from 1; the same at every read."`
	Kind     string         `json:"kind" rule:"enum=outcome progress input cancel" doc:"The field that is there."`
	Outcome  *outcome       `json:"outcome,omitempty" doc:"A child has ended; each comes once."`
	Progress *childProgress `json:"progress,omitempty" doc:"A child said how far it is; of a child that says much, not every word comes."`
	Input    *inputAnswer   `json:"input,omitempty" doc:"A message has answered request-input."`
	Cancel   *cancelNote    `json:"cancel,omitempty" doc:"The capsule is being ended."`
}

type childProgress struct {
	DelegationID string `json:"delegation_id"`
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
	State        string `json:"state" rule:"enum=working input-required"`
	Message      string `json:"message"`
	AtMS         int64  `json:"at_ms" doc:"When it said so, in milliseconds since 1970."`
}

type cancelNote struct {
	Reason string `json:"reason" doc:"Why, in the words of a record."`
}

// Events is the log of what happened to one task. It is safe for concurrent use.
type Events struct {
	mu      sync.Mutex // guards what follows
	last    uint64
	kept    []event // by seq
	passing int     // how many of them may be forgotten
	weight  int     // the bytes that those hold
	changed chan struct{}
}

// NewEvents returns a log that holds nothing.
func NewEvents() *Events { return &Events{changed: make(chan struct{})} }

// Arrived notes an outcome that can be read.
func (e *Events) Arrived(r *hostv1.ReleasedOutcome) {
	o := outcomeOf(r.GetOutcome())
	e.add(event{Kind: kindOutcome, Outcome: &o})
}

// Progressed notes a child's word.
func (e *Events) Progressed(p *hostv1.ChildProgress) {
	e.add(event{Kind: kindProgress, Progress: &childProgress{
		DelegationID: p.GetDelegationId(), Capsule: p.GetCapsule(), Version: p.GetVersion(),
		State: p.GetState(), Message: p.GetMessage(), AtMS: p.GetAtUnixMs(),
	}})
}

func (e *Events) add(what event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	what.Seq = e.last
	e.kept = append(e.kept, what)
	if what.mayPass() {
		e.passing++
		e.weight += what.weight()
		// The newest stays, however heavy.
		for e.passing > maxPassing || e.weight > maxPassingBytes && e.passing > 1 {
			e.forget()
		}
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

func (what event) mayPass() bool { return what.Kind == kindProgress || what.Kind == kindInput }

// weight is the length of what others have written into the event.
func (what event) weight() int {
	switch {
	case what.Progress != nil:
		return len(what.Progress.Message)
	case what.Input != nil:
		n := len(what.Input.Text)
		for _, p := range what.Input.Parts {
			n += len(p.Data)
			if p.Text != nil {
				n += len(*p.Text)
			}
		}
		return n
	}
	return 0
}

// forget drops the oldest event that may be. The lock is held.
func (e *Events) forget() {
	for i, old := range e.kept {
		if old.mayPass() {
			e.kept = append(e.kept[:i], e.kept[i+1:]...)
			e.passing--
			e.weight -= old.weight()
			return
		}
	}
}

// after returns the events that follow seq, and what is closed when another one comes.
func (e *Events) after(seq uint64) (events []event, changed <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	from := len(e.kept)
	for from > 0 && e.kept[from-1].Seq > seq {
		from--
	}
	return append([]event{}, e.kept[from:]...), e.changed
}
