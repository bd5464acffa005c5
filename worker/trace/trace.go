package trace

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/capsule/redact"
)

// Code is the error code of a trace that cannot be written, which ends the session.
const Code = "E-RUN-007"

// Event is one kind of line; its exported fields follow the common ones.
type Event interface{ eventType() string }

// Writer appends the events of one session. It is safe for concurrent use.
type Writer struct {
	session string
	failed  func(error)

	mu   sync.Mutex // guards what follows, and the order of lines
	file *os.File
	err  error
}

// common stands first on every line. A parent is null only on the first one.
type common struct {
	EventType string  `json:"event_type"`
	EventID   string  `json:"event_id"`
	ParentID  *string `json:"parent_id"`
	SessionID string  `json:"session_id"`
	Timestamp int64   `json:"timestamp"` // unix milliseconds
}

// Create begins the trace of a session in its records folder; there must be none
// yet. failed is called with the first failure to write, at most once, by the
// goroutine that emits.
func Create(records *beneath.Dir, sessionID string, failed func(error)) (*Writer, error) {
	file, err := records.OpenFile(layout.TraceFile, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: the trace cannot be written: %w", Code, err)
	}
	return &Writer{session: sessionID, failed: failed, file: file}, nil
}

// Emit writes one event beneath parent, which is what an earlier Emit returned,
// or empty for the first event. It returns the new event's id. A failure is told
// to the function given to Create.
func (w *Writer) Emit(parent string, e Event) string {
	head := common{EventType: e.eventType(), EventID: id.Event.New(), SessionID: w.session}
	if parent != "" {
		head.ParentID = &parent
	}
	if err := w.write(head, e); err != nil {
		w.failed(fmt.Errorf("%s: the trace cannot be written: %w", Code, err))
	}
	return head.EventID
}

// write returns the first error only: after it there is no trace to keep whole.
func (w *Writer) write(head common, e Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil
	}
	head.Timestamp = time.Now().UnixMilli()
	line, err := encode(head, e)
	if err == nil {
		_, err = w.file.Write(line)
	}
	w.err = err
	return err
}

// encode puts the event's fields behind the common ones.
func encode(head common, e Event) ([]byte, error) {
	first, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", head.EventType, err)
	}
	rest, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", head.EventType, err)
	}
	line := string(first[:len(first)-1])
	if len(rest) > len("{}") {
		line += "," + string(rest[1:len(rest)-1])
	}
	// A handle has no character that JSON escapes, so it is found in encoded text.
	return []byte(redact.Text(line) + "}\n"), nil
}

// Close ends the trace.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("close the trace: %w", err)
	}
	return nil
}
