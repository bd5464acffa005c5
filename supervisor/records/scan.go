package records

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
)

// Session is what the records say of one session.
type Session struct {
	Lineage
	// Dir is its records folder.
	Dir string
	// Ended says that there is a record of its end, and what follows is from it.
	Ended    bool
	Status   outcome.Status
	Detail   string
	Duration time.Duration
	// Of a delegated session, also:
	ReportedBy    outcome.Reporter
	Delivered     bool
	DeliveryError string
	ResultPath    string
}

// Scan returns every session that has a lineage, in the order they began. The errors name what could not be read and keep nothing else from
// being found; a state folder without records is an error for which errors.Is answers fs.ErrNotExist.
func Scan(state layout.State) ([]Session, []error) {
	top := filepath.Dir(state.Records("capsule", ""))
	capsules, err := os.ReadDir(top)
	if err != nil {
		return nil, []error{fmt.Errorf("records: %w", err)}
	}
	var sessions []Session
	var errs []error
	for _, c := range capsules {
		if !c.IsDir() {
			continue
		}
		found, faults := scanCapsule(state, c.Name())
		sessions = append(sessions, found...)
		errs = append(errs, faults...)
	}
	slices.SortFunc(sessions, func(a, b Session) int { return cmp.Compare(a.SessionID, b.SessionID) })
	return sessions, errs
}

func scanCapsule(state layout.State, capsule string) (sessions []Session, errs []error) {
	folder, err := beneath.Open(filepath.Dir(state.Records(capsule, "x")))
	if err != nil {
		return nil, []error{err}
	}
	defer folder.Close()
	names, err := folder.Names()
	if err != nil {
		return nil, []error{err}
	}
	for _, name := range names {
		session, isLineage := strings.CutSuffix(name, ".json")
		if !isLineage || !id.Session.Valid(session) {
			continue
		}
		s, err := read(folder, state, capsule, session)
		if err == nil {
			sessions = append(sessions, s)
		} else if !errors.Is(err, fs.ErrNotExist) { // it may have been removed meanwhile
			errs = append(errs, fmt.Errorf("records of %s: %w", session, err))
		}
	}
	return sessions, errs
}

func read(folder *beneath.Dir, state layout.State, capsule, session string) (Session, error) {
	lineage, err := readLineage(folder, capsule, session)
	if err != nil {
		return Session{}, err
	}
	s := Session{Lineage: lineage, Dir: state.Records(capsule, session)}
	own, err := folder.Sub(session)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil // begun, and nothing more
	}
	if err != nil {
		return s, err
	}
	defer own.Close()
	return s, s.readEnd(own)
}

// readEnd adds how the session ended. A record that is none is an end that is not known.
func (s *Session) readEnd(own *beneath.Dir) error {
	if s.DelegationID == "" {
		end, found, err := outcome.ReadEnd(own)
		if !found || err != nil || end.SessionID != s.SessionID {
			return err
		}
		s.Ended, s.Status, s.Detail, s.Duration = true, end.Status, end.Detail, time.Duration(end.DurationMS)*time.Millisecond
		return nil
	}
	rec, found, err := outcome.ReadRecord(own)
	if !found || err != nil || rec.DelegationID != s.DelegationID {
		return err
	}
	s.Ended, s.Status, s.Detail, s.Duration = true, rec.Status, rec.Detail, time.Duration(rec.DurationMS)*time.Millisecond
	s.ReportedBy, s.Delivered, s.DeliveryError, s.ResultPath = rec.ReportedBy, rec.Delivered, rec.DeliveryError, rec.ResultPath
	return nil
}
