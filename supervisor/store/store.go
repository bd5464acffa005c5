package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Why the store cannot be used. Callers branch on them.
var (
	// ErrLocked is returned by Open when another process holds the file.
	ErrLocked = errors.New("held by another process")
	// ErrClosed is returned once Close has begun.
	ErrClosed = errors.New("the store is closed")
	// ErrDamaged is returned for a value that fails its checksum.
	ErrDamaged = errors.New("damaged")
)

// maxGroup bounds how many functions share a commit, so that the first of a long
// queue is not kept waiting for the last.
const maxGroup = 256

// Store is an open file. Its methods may be called from any goroutine.
type Store struct {
	db *bolt.DB
	// requests is unbuffered: a request that was sent has been taken up.
	requests chan *request
	quit     chan struct{}
	gone     chan struct{}
}

// Open opens the file at path, or makes it, and starts the writer. It waits at
// most lockTimeout for another process to let go of the file, then returns
// ErrLocked. A damaged file is set aside as <path>.corrupt-<unix seconds> and
// warning says so; it is empty otherwise. The caller ends the store with Close.
func Open(path string, lockTimeout time.Duration) (s *Store, warning string, err error) {
	db, warning, err := openOrReplace(path, lockTimeout)
	if err != nil {
		return nil, "", fmt.Errorf("open %s: %w", path, err)
	}
	s = &Store{
		db:       db,
		requests: make(chan *request),
		quit:     make(chan struct{}),
		gone:     make(chan struct{}),
	}
	go s.write()
	return s, warning, nil
}

// Update runs fn in the writer and returns when what it wrote is durable. It
// returns fn's own error, with nothing written; ctx's error, with fn not begun;
// ErrClosed, likewise; or what the commit failed with. Once fn has begun, Update
// returns when the disk answers, whatever becomes of ctx: callers need to know.
// fn must not block, must not call Update, and must not keep its Tx.
func (s *Store) Update(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{fn: fn, result: make(chan error, 1)}
	select {
	case s.requests <- r:
		return <-r.result
	case <-s.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// View runs fn on one committed state, beside any writer. It returns fn's error,
// or ErrClosed. fn must be short: the file cannot grow meanwhile.
func (s *Store) View(fn func(*Snapshot) error) error {
	err := s.db.View(func(tx *bolt.Tx) error { return fn(&Snapshot{tx: tx}) })
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// Close refuses new work, waits for the commit under way and closes the file. It
// is called once.
func (s *Store) Close() error {
	close(s.quit)
	<-s.gone
	return s.db.Close()
}
