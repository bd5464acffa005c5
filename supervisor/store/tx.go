package store

import (
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// MaxValue bounds a value, in bytes: several times the largest row there is, an
// outcome with its answer twice.
const MaxValue = 4 << 20

// Tx is what a function in the writer reads and writes. It sees what earlier
// functions of its group wrote, and its own writes.
type Tx struct {
	base   Snapshot
	writes []write
	latest map[place]int
	after  []func(error)
}

type place struct{ bucket, key string }

type write struct {
	place
	value  []byte
	delete bool
}

// Get returns the value of key, which is valid until the function ends and must
// not be changed. ErrDamaged when its checksum does not fit.
func (t *Tx) Get(bucket, key string) (value []byte, ok bool, err error) {
	if i, written := t.latest[place{bucket, key}]; written {
		return t.writes[i].value, !t.writes[i].delete, nil
	}
	return t.base.Get(bucket, key)
}

// Put writes the value of key and makes the bucket if need be. value must not be
// changed afterwards. It fails for names and values out of bounds.
func (t *Tx) Put(bucket, key string, value []byte) error {
	switch {
	case bucket == "" || key == "" || len(key) > bolt.MaxKeySize:
		return fmt.Errorf("row %.80q in %q: names have 1 to %d bytes", key, bucket, bolt.MaxKeySize)
	case len(value) > MaxValue:
		return fmt.Errorf("row %.80q in %q: %d bytes, at most %d are kept", key, bucket, len(value), MaxValue)
	}
	t.add(write{place: place{bucket, key}, value: value})
	return nil
}

// Delete removes key; one that is not there is no error.
func (t *Tx) Delete(bucket, key string) {
	t.add(write{place: place{bucket, key}, delete: true})
}

// After has then called in the writer when the group has been committed, before
// any of its Updates returns: with nil, or with why nothing was written. It is
// not called when the function itself fails. then must not block.
func (t *Tx) After(then func(error)) { t.after = append(t.after, then) }

func (t *Tx) add(w write) {
	if t.latest == nil {
		t.latest = make(map[place]int)
	}
	t.latest[w.place] = len(t.writes)
	t.writes = append(t.writes, w)
}

// apply hands the writes to the transaction.
func (t *Tx) apply() error {
	for _, w := range t.writes {
		bucket, err := t.base.tx.CreateBucketIfNotExists([]byte(w.bucket))
		if err != nil {
			return err
		}
		if w.delete {
			err = bucket.Delete([]byte(w.key))
		} else {
			err = bucket.Put([]byte(w.key), seal(w.place, w.value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Snapshot is one committed state.
type Snapshot struct{ tx *bolt.Tx }

// Get returns the value of key, valid until the View ends. ErrDamaged when its
// checksum does not fit.
func (s *Snapshot) Get(bucket, key string) (value []byte, ok bool, err error) {
	b := s.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil, false, nil
	}
	sealed := b.Get([]byte(key))
	if sealed == nil {
		return nil, false, nil
	}
	value, err = unseal(place{bucket, key}, sealed)
	return value, err == nil, err
}

// Each calls fn for every row of the bucket in key order, until one fails. A
// bucket that is not there has no rows. value is valid during the call.
func (s *Snapshot) Each(bucket string, fn func(key string, value []byte) error) error {
	b := s.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil
	}
	return b.ForEach(func(key, sealed []byte) error {
		value, err := unseal(place{bucket, string(key)}, sealed)
		if err != nil {
			return err
		}
		return fn(string(key), value)
	})
}
