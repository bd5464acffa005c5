package retention

import (
	"cmp"
	"slices"
	"time"

	"rookery/supervisor/fleet"
)

// Kind says what goes as a whole.
type Kind string

// The kinds.
const (
	Tree     Kind = "tree"
	Module   Kind = "module"
	Database Kind = "database"
)

// Reason says why it goes.
type Reason string

// The reasons.
const (
	ByAge  Reason = "age"
	BySize Reason = "size"
)

// Item is something that goes as a whole or stays.
type Item struct {
	Kind Kind
	// Name is a tree's root session, or the name of a file.
	Name string
	// Capsule is that of a tree's root, as far as it is known.
	Capsule string
	// Bytes is what it takes on the disk.
	Bytes int64
	// Ended is when the last session of a tree ended, or when a file was last changed.
	Ended  time.Time
	Reason Reason

	members []member
	// fixed stays, whatever the policy says.
	fixed bool
}

// Sessions is how many sessions a tree has.
func (i Item) Sessions() int { return len(i.members) }

// member is one session of a tree and the capsules under whose names it may have records.
type member struct {
	ID       string   `json:"session_id"`
	Capsules []string `json:"capsules"`
}

// fresh is how long an end is left alone: somebody may be about to read what was answered.
const fresh = time.Minute

// choose returns what goes, oldest first, and the bytes that stay.
func choose(items []Item, policy fleet.Retention, now time.Time) (gone []Item, kept int64) {
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.Name, b.Name))
	})
	for _, i := range items {
		kept += i.Bytes
	}
	take := func(reason Reason, goes func(Item) bool) {
		items = slices.DeleteFunc(items, func(i Item) bool {
			if i.fixed || now.Sub(i.Ended) < fresh || !goes(i) {
				return false
			}
			i.Reason = reason
			gone = append(gone, i)
			kept -= i.Bytes
			return true
		})
	}
	take(ByAge, func(i Item) bool { return now.Sub(i.Ended) > policy.Age })
	take(BySize, func(i Item) bool { return kept > policy.MaxBytes && i.Bytes > 0 })
	return gone, kept
}
