package delegation

import (
	"errors"
	"io/fs"
	"os"

	"rookery/capsule/atomicfile"
	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

// readOwn returns what a session's worker wrote about itself, or nil and why it does not count. Only ok and error are a worker's to
// say, and only about its own session.
func readOwn(records *beneath.Dir, s ledger.Session) (*own, error) {
	if s.DelegationID == "" {
		end, found, err := outcome.ReadEnd(records)
		if !found || err != nil {
			return nil, err
		}
		if end.SessionID != s.ID || !spoken(end.Status) {
			return nil, errors.New(outcome.EndFile + " is not this session's own")
		}
		return &own{status: end.Status, detail: end.Detail}, nil
	}
	rec, found, err := outcome.ReadRecord(records)
	if !found || err != nil {
		return nil, err
	}
	if rec.SessionID != s.ID || rec.DelegationID != s.DelegationID || rec.CapsuleName != s.Capsule || rec.CapsuleVersion != s.Version ||
		rec.ReportedBy != outcome.Child || !spoken(rec.Status) {
		return nil, errors.New(outcome.CompletionFile + " is not this session's own")
	}
	return &own{status: rec.Status, detail: rec.Detail, unheard: rec.DeliveryError}, nil
}

func spoken(s outcome.Status) bool { return s == outcome.OK || s == outcome.Error }

// ownRecord is readOwn with a record that does not count logged and passed over.
func (t *Tree) ownRecord(s ledger.Session) *own {
	records, err := beneath.Open(s.RecordsDir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.log.Warn().Err(err).Str("session", s.ID).Msg("the records folder cannot be read")
		}
		return nil
	}
	defer func() { _ = records.Close() }()
	found, err := readOwn(records, s)
	if err != nil {
		t.log.Warn().Err(err).Str("session", s.ID).Msg("a record was set aside")
	}
	return found
}

// remains is what an ended session left for the one that delegated.
type remains struct {
	answer  outcome.Answer
	path    string // of the answer, absolute; "" when there is none
	message string // the fenced text
}

// record leaves the decided end on disk: completion.json for a delegated session, end.json for a root. The remains are whole even when
// the disk refuses the record. A session that never ran has no records folder yet; what a killed worker left half written goes.
func (t *Tree) record(s ledger.Session, v verdict, durationMS int64) (remains, error) {
	rec := outcome.Record{
		DelegationID: s.DelegationID, CapsuleName: s.Capsule, CapsuleVersion: s.Version, SessionID: s.ID, Status: v.status, Workdir: s.Workdir,
		DurationMS: durationMS, Detail: v.detail, ReportedBy: v.reportedBy, DeliveryError: v.unheard,
	}
	records, err := openRecords(s.RecordsDir)
	if err != nil {
		return remains{message: notice(rec, outcome.NoAnswer(""))}, err
	}
	defer func() { _ = records.Close() }()
	swept := sweep(records)
	if s.DelegationID == "" {
		return remains{}, errors.Join(swept, outcome.WriteEnd(records, outcome.End{
			SessionID: s.ID, TaskID: s.TaskID, Status: v.status, Detail: v.detail, DurationMS: durationMS,
		}))
	}
	var left remains
	t.answers <- struct{}{}
	left.answer, left.path = t.answerOf(records, s)
	<-t.answers
	rec.ResultPath = left.path
	left.message = notice(rec, left.answer)
	return left, errors.Join(swept, outcome.WriteRecord(records, rec))
}

func openRecords(path string) (*beneath.Dir, error) {
	records, err := beneath.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
		return beneath.Open(path)
	}
	return records, err
}

// sweep removes the temporary files of a writer that was killed.
func sweep(records *beneath.Dir) error {
	_, err := atomicfile.Sweep(records.FD())
	out, missing := records.Sub(layout.ResultsDir)
	if missing != nil {
		return err // it left no answer
	}
	_, inOut := atomicfile.Sweep(out.FD())
	return errors.Join(err, inOut, out.Close())
}

// sweepAt is sweep for a folder that nobody holds.
func sweepAt(path string) error {
	records, err := beneath.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(sweep(records), records.Close())
}

// noteDelivered sets the delivered mark in a record that is the ledger's own. A record that cannot be rewritten keeps the mark it
// has: the ledger knows.
func (t *Tree) noteDelivered(d ledger.Delegation) {
	s, ok := t.ledger.Session(d.SessionID)
	if !ok {
		return
	}
	records, err := beneath.Open(s.RecordsDir)
	if err != nil {
		t.log.Warn().Err(err).Str("delegation", d.ID).Msg("its record cannot be marked as delivered")
		return
	}
	defer func() { _ = records.Close() }()
	rec, found, err := outcome.ReadRecord(records)
	if err == nil && found && rec.DelegationID == d.ID && !rec.Delivered {
		rec.Delivered, rec.DeliveryError = true, ""
		err = outcome.WriteRecord(records, rec)
	}
	if err != nil {
		t.log.Warn().Err(err).Str("delegation", d.ID).Msg("its record cannot be marked as delivered")
	}
}
