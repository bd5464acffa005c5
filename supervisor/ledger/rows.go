package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"rookery/supervisor/store"
)

// schema numbers the form of the rows. It grows when an older supervisor would
// read them wrongly.
const schema = 1

// The buckets, and the one row of the first.
const (
	metaBucket        = "meta"
	schemaKey         = "ledger_schema"
	sessionsBucket    = "sessions"
	delegationsBucket = "delegations"
	nativeBucket      = "native"
)

// put writes a row as JSON.
func put(tx *store.Tx, bucket, id string, row any) error {
	data, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("row %s: %w", id, err)
	}
	return tx.Put(bucket, id, data)
}

// load reads every row, and gives a new store its schema.
func load(ctx context.Context, s *store.Store) (*index, error) {
	x := newIndex()
	fresh := false
	err := s.View(func(snapshot *store.Snapshot) error {
		text, found, err := snapshot.Get(metaBucket, schemaKey)
		if err != nil {
			return err
		}
		if fresh = !found; fresh {
			return nil
		}
		if err := checkSchema(string(text)); err != nil {
			return err
		}
		return x.read(snapshot)
	})
	if err != nil {
		return nil, err
	}
	if fresh {
		err = s.Update(ctx, func(tx *store.Tx) error {
			return tx.Put(metaBucket, schemaKey, []byte(strconv.Itoa(schema)))
		})
	}
	return x, err
}

func checkSchema(text string) error {
	found, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("its schema %.20q is not a number", text)
	}
	if found != schema {
		return fmt.Errorf("it was written by another version of this program (schema %d, this one reads %d)", found, schema)
	}
	return nil
}

func (x *index) read(snapshot *store.Snapshot) error {
	err := snapshot.Each(sessionsBucket, func(id string, data []byte) error {
		s := new(Session)
		if err := parse(id, data, s, &s.ID); err != nil {
			return err
		}
		x.putSession(s)
		return nil
	})
	if err != nil {
		return err
	}
	err = snapshot.Each(delegationsBucket, func(id string, data []byte) error {
		d := new(Delegation)
		if err := parse(id, data, d, &d.ID); err != nil {
			return err
		}
		x.putDelegation(d)
		return nil
	})
	if err != nil {
		return err
	}
	return snapshot.Each(nativeBucket, func(key string, digest []byte) error {
		x.native[key] = string(digest)
		return nil
	})
}

// parse reads one row and checks that it stands under its own id.
func parse(id string, data []byte, row any, ownID *string) error {
	if err := json.Unmarshal(data, row); err != nil {
		return fmt.Errorf("row %s: %w", id, err)
	}
	if *ownID != id {
		return fmt.Errorf("row %s holds %s", id, *ownID)
	}
	return nil
}
