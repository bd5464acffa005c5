package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrContext is the refusal of a message that names another conversation than the task's.
var ErrContext = errors.New("the task belongs to another context")

// ErrTimeout is the end of a question that nobody answered in its time.
var ErrTimeout = errors.New("nobody answered in time")

// StateError is the refusal of a message to a task that does not ask for input.
type StateError struct{ State State }

func (e *StateError) Error() string { return fmt.Sprintf("the task is %s", e.State) }

// Snapshot is a task at one moment.
type Snapshot struct {
	ID, ContextID string
	State         State
	// Message is what the task said last about how far it is, or its end's text.
	Message string
	// Prompt is the question, while the state is InputRequired.
	Prompt string
}

// Task is the one task. It is safe for concurrent use.
type Task struct {
	mu     sync.Mutex // guards what follows
	now    Snapshot
	answer chan Message // takes the one answer to the question that is open; nil when none is
}

// New returns a task that works.
func New(id, contextID string) *Task {
	return &Task{now: Snapshot{ID: id, ContextID: contextID, State: Working}}
}

// Now returns the task as it is.
func (t *Task) Now() Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// Say notes how far the task is.
func (t *Task) Say(message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.now.State.terminal() {
		t.now.Message = message
	}
}

// Ask makes the task one that requires input and returns the answer. Without one the
// error is ErrTimeout when expired receives, or ctx's; a StateError for a task that has
// ended. The task works again in each case. One goroutine asks at a time.
func (t *Task) Ask(ctx context.Context, prompt string, expired <-chan time.Time) (Message, error) {
	answer := make(chan Message, 1)
	t.mu.Lock()
	if t.now.State.terminal() {
		defer t.mu.Unlock()
		return Message{}, &StateError{t.now.State}
	}
	t.now.State, t.now.Prompt, t.answer = InputRequired, prompt, answer
	t.mu.Unlock()
	var err error
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = ErrTimeout
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work()
	select {
	case m := <-answer: // whoever sent it was told that it was taken
		return m, nil
	default:
		return Message{}, err
	}
}

// Answer gives the task the message it asks for and returns the task, which works then.
// An empty contextID claims nothing. The error is a *StateError or ErrContext.
func (t *Task) Answer(contextID string, m Message) (Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.answer == nil:
		return Snapshot{}, &StateError{t.now.State}
	case contextID != "" && contextID != t.now.ContextID:
		return Snapshot{}, ErrContext
	}
	t.answer <- m // there is room for one, and one is all there is
	t.work()
	return t.now, nil
}

// work closes the question. The lock is held.
func (t *Task) work() {
	t.answer = nil
	if t.now.State == InputRequired {
		t.now.State, t.now.Prompt = Working, ""
	}
}

// End makes the task one that has ended. The first end stands.
func (t *Task) End(s State, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.State.terminal() {
		return
	}
	t.answer = nil
	t.now.State, t.now.Message, t.now.Prompt = s, message, ""
}
