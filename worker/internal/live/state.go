package live

import "strings"

// State is a task's state, in the words of traces.
type State string

// The states a task of this worker can have.
const (
	Working       State = "working"
	InputRequired State = "input-required"
	Completed     State = "completed"
	Failed        State = "failed"
	Rejected      State = "rejected"
	Canceled      State = "canceled"
)

// Wire is the state as A2A 1.0 writes it.
func (s State) Wire() string {
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

// terminal reports whether nothing follows the state.
func (s State) terminal() bool { return s != Working && s != InputRequired }
