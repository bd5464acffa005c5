package delegation

import (
	"errors"
	"io/fs"

	"rookery/capsule/beneath"
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

// answerOf reads what an ended child left for its parent, and keeps a long one whole in the parent's runtime folder. What cannot be
// read is said to be missing, with the reason.
func (t *Tree) answerOf(records *beneath.Dir, s ledger.Session) (outcome.Answer, string) {
	work, err := openWork(s)
	if err == nil {
		defer func() { _ = work.Close() }()
	} else if errors.Is(err, fs.ErrNotExist) {
		work = nil
	} else {
		t.log.Warn().Err(err).Str("session", s.ID).Msg("the work folder cannot be read")
		work = nil
	}
	text, path, found, err := outcome.ReadResult(records, work, s.TaskID)
	if err != nil {
		t.log.Warn().Err(err).Str("session", s.ID).Msg("an answer cannot be read")
		return outcome.NoAnswer(err.Error()), ""
	}
	if !found {
		return outcome.NoAnswer(""), ""
	}
	runtime, err := beneath.Open(t.state.Runtime(s.SpawnedBy))
	if err != nil {
		return outcome.HandOver(text, s.DelegationID, nil), path
	}
	defer func() { _ = runtime.Close() }()
	return outcome.HandOver(text, s.DelegationID, runtime), path
}

// openWork holds what the session's capsule saw as its folder.
func openWork(s ledger.Session) (*beneath.Dir, error) {
	work, err := beneath.Open(s.Workdir)
	if err != nil || s.Scope == "" {
		return work, err
	}
	defer func() { _ = work.Close() }()
	return work.Sub(s.Scope)
}

// notice is the fenced text about one outcome that a model may be shown.
func notice(rec outcome.Record, a outcome.Answer) string {
	return outcome.Message([]outcome.Notice{outcome.Recorded(rec, rec.CapsuleName, rec.CapsuleVersion, outcome.ResultBlock(a))})
}
