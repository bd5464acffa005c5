package delegation

import (
	"errors"
	"io/fs"

	"rookery/capsule/beneath"
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
		return &own{end.Status, end.Detail}, nil
	}
	rec, found, err := outcome.ReadRecord(records)
	if !found || err != nil {
		return nil, err
	}
	if rec.SessionID != s.ID || rec.DelegationID != s.DelegationID || rec.CapsuleName != s.Capsule || rec.CapsuleVersion != s.Version ||
		rec.ReportedBy != outcome.Child || !spoken(rec.Status) {
		return nil, errors.New(outcome.CompletionFile + " is not this session's own")
	}
	return &own{rec.Status, rec.Detail}, nil
}

func spoken(s outcome.Status) bool { return s == outcome.OK || s == outcome.Error }

// ownRecord is readOwn for a run, a record that does not count logged and passed over.
func (r *run) ownRecord() *own {
	records, err := beneath.Open(r.session.RecordsDir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.tree.log.Warn().Err(err).Str("session", r.session.ID).Msg("the records folder cannot be read")
		}
		return nil
	}
	defer func() { _ = records.Close() }()
	found, err := readOwn(records, r.session)
	if err != nil {
		r.tree.log.Warn().Err(err).Str("session", r.session.ID).Msg("a record was set aside")
	}
	return found
}

// writeRecord leaves the decided end on disk: completion.json for a delegated session, end.json for a root.
func writeRecord(records *beneath.Dir, s ledger.Session, v verdict, durationMS int64, resultPath string) (outcome.Record, error) {
	if s.DelegationID == "" {
		return outcome.Record{}, outcome.WriteEnd(records, outcome.End{SessionID: s.ID, TaskID: s.TaskID, Status: v.status, Detail: v.detail, DurationMS: durationMS})
	}
	rec := outcome.Record{
		DelegationID: s.DelegationID, CapsuleName: s.Capsule, CapsuleVersion: s.Version, SessionID: s.ID, Status: v.status,
		ResultPath: resultPath, Workdir: s.Workdir, DurationMS: durationMS, Detail: v.detail, ReportedBy: v.reportedBy,
	}
	return rec, outcome.WriteRecord(records, rec)
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
		rec.Delivered = true
		err = outcome.WriteRecord(records, rec)
	}
	if err != nil {
		t.log.Warn().Err(err).Str("delegation", d.ID).Msg("its record cannot be marked as delivered")
	}
}
