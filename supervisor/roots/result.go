package roots

import (
	"errors"
	"io/fs"
	"time"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

// Result is how a root ended for good.
type Result struct {
	ID string
	// Session is its last one; empty when it could not be started.
	Session string
	Status  outcome.Status
	// Detail is that of the last end, and why it is the last when the root was given up.
	Detail string
	// Answer is what it left, "" when it left nothing. At most maxAnswer bytes.
	Answer string
	Took   time.Duration
}

// maxAnswer bounds what is printed of one answer; the whole stays in the records folder.
const maxAnswer = 1 << 20

// resultOf reads what an ended session left.
func resultOf(s ledger.Session) Result {
	answer, err := answerOf(s)
	if err != nil {
		answer = "(its answer cannot be read: " + err.Error() + ")"
	}
	return Result{
		ID: s.RootID, Session: s.ID, Status: s.Status, Detail: join(s.Detail, s.Note), Answer: answer,
		Took: time.Duration(s.DurationMS) * time.Millisecond,
	}
}

// join puts a note behind a detail.
func join(detail, note string) string {
	if detail == "" || note == "" {
		return detail + note
	}
	return detail + "; " + note
}

// answerOf reads the answer that the session's worker copied to its records.
func answerOf(s ledger.Session) (string, error) {
	records, err := beneath.Open(s.RecordsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = records.Close() }()
	raw, err := records.ReadRegular(layout.ResultFile, maxAnswer)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(raw), err
}
