package outcome

import (
	"fmt"

	"rookery/capsule/beneath"
)

// EndFile is the name of an End in a session's records folder.
const EndFile = "end.json"

// End is how a root session ended, as its own worker saw it. A delegated session leaves
// a Record instead.
type End struct {
	SessionID string `json:"session_id"`
	// TaskID is the last task the session worked on; empty when it had none.
	TaskID string `json:"task_id"`
	Status Status `json:"status"`
	// Detail is the cause of every status but ok, at most MaxDetailBytes.
	Detail string `json:"detail,omitempty"`
	// DurationMS is how long the session lasted, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
}

// ReadEnd reads the end in a session's records folder, as ReadRecord does a
// record.
func ReadEnd(records *beneath.Dir) (End, bool, error) {
	data, found, err := readBounded(records, EndFile)
	if !found {
		return End{}, false, err
	}
	end, err := parseEnd(data)
	if err != nil {
		return End{}, false, fmt.Errorf("%s is not the end of a session: %w", EndFile, err)
	}
	return end, true, nil
}

// WriteEnd replaces the end, its detail bounded, atomically and durably.
func WriteEnd(records *beneath.Dir, e End) error {
	e.Detail = BoundDetail(e.Detail)
	return writeBounded(records, EndFile, e)
}

func parseEnd(data []byte) (End, error) {
	var end End
	if err := unmarshal(data, &end); err != nil {
		return End{}, err
	}
	switch {
	case end.SessionID == "":
		return End{}, fmt.Errorf("session_id is missing")
	case !end.Status.Recordable():
		return End{}, fmt.Errorf("status is %.40q", end.Status)
	case end.DurationMS < 0:
		return End{}, fmt.Errorf("duration_ms is %d", end.DurationMS)
	}
	return end, nil
}
