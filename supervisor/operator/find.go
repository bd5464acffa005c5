package operator

import (
	"rookery/supervisor/ledger"
)

// session finds a session by its id or a suffix of it.
func (s *Server) session(query string) (ledger.Session, error) {
	if row, ok := s.ledger.Session(query); ok {
		return row, nil
	}
	full, err := resolve("session", query, s.sessionIDs())
	if err != nil {
		return ledger.Session{}, err
	}
	row, _ := s.ledger.Session(full)
	return row, nil
}

// delegation finds a delegation by its id or a suffix of it.
func (s *Server) delegation(query string) (ledger.Delegation, error) {
	if d, ok := s.ledger.Delegation(query); ok {
		return d, nil
	}
	full, err := resolve("delegation", query, s.delegationIDs())
	if err != nil {
		return ledger.Delegation{}, err
	}
	d, _ := s.ledger.Delegation(full)
	return d, nil
}

// either finds a session by its own id or by that of the delegation that made it.
func (s *Server) either(query string) (ledger.Session, error) {
	if row, ok := s.ledger.Session(query); ok {
		return row, nil
	}
	full, err := resolve("session or delegation", query, append(s.sessionIDs(), s.delegationIDs()...))
	if err != nil {
		return ledger.Session{}, err
	}
	if d, ok := s.ledger.Delegation(full); ok {
		full = d.SessionID
	}
	row, _ := s.ledger.Session(full)
	return row, nil
}

// sessionOrNone is session for a filter: none stays none.
func (s *Server) sessionOrNone(query string) (string, error) {
	if query == "" {
		return "", nil
	}
	row, err := s.session(query)
	return row.ID, err
}

func (s *Server) sessionIDs() []string {
	rows := s.ledger.Sessions(ledger.Filter{})
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids
}

func (s *Server) delegationIDs() []string {
	rows := s.ledger.Delegations(ledger.Filter{})
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids
}
