package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// request is one Update on its way through the writer.
type request struct {
	fn     func(*Tx) error
	result chan error // room for the one answer
	after  []func(error)
	err    error
}

// write is the writer: it owns every write transaction, until Close.
func (s *Store) write() {
	defer close(s.gone)
	for {
		select {
		case <-s.quit:
			return
		case first := <-s.requests:
			s.group(first)
		}
	}
}

// group commits first together with everything that waits by now, and only then
// answers: an answer may rest on what another function of the group wrote.
func (s *Store) group(first *request) {
	tx, err := s.db.Begin(true)
	if err != nil {
		first.result <- fmt.Errorf("begin a commit: %w", err)
		return
	}
	members := []*request{first}
	wrote, err := run(tx, first)
gather:
	for err == nil && len(members) < maxGroup {
		select {
		case next := <-s.requests:
			members = append(members, next)
			var more bool
			more, err = run(tx, next)
			wrote = wrote || more
		default:
			break gather
		}
	}
	switch {
	case err != nil || !wrote:
		_ = tx.Rollback() // fails only for a transaction that is over
	default:
		err = tx.Commit()
	}
	if err != nil {
		err = fmt.Errorf("commit %d changes: %w", len(members), err)
	}
	for _, member := range members {
		for _, after := range member.after {
			after(err)
		}
	}
	for _, member := range members {
		if err != nil {
			member.err = err
		}
		member.result <- member.err
	}
}

// run lets one function write. Its writes go to the transaction only when it has
// succeeded: bbolt cannot undo a part. The returned error spoils the group.
func run(tx *bolt.Tx, r *request) (wrote bool, err error) {
	t := &Tx{base: Snapshot{tx: tx}}
	r.err = r.fn(t)
	if r.err == nil {
		r.after = t.after
		wrote, err = len(t.writes) > 0, t.apply()
	}
	return wrote, err
}
