package delegation

import (
	"errors"
	"time"

	"rookery/capsule/id"
	"rookery/capsule/manifest"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
)

// find is the part of admission that needs no count: may this capsule delegate, to that one, and is there such a version? A name
// outside the grant and one outside the catalog are refused alike, so that a capsule cannot ask what else there is.
func (t *Tree) find(parent *manifest.Manifest, name, version string) (*catalog.Entry, *Refusal) {
	if len(parent.Capabilities.SpawnAllow) == 0 {
		return nil, refuse(CodeNotGranted, "capabilities.spawn.allow is empty: this capsule may not delegate")
	}
	entry, err := t.catalog.Lookup(name, version)
	switch {
	case !parent.MaySpawn(name), errors.Is(err, catalog.ErrUnknownCapsule):
		return nil, refuse(CodeUnknownCapsule, "there is no capsule %.120q to delegate to", name)
	case err != nil:
		return nil, refuse(CodeUnknownVersion, "there is no version %.80q of capsule %q: a delegation names an exact version", version, name)
	}
	return entry, nil
}

// admit is the part that counts. It runs inside the ledger's one writer, so what it sees is what is there. The token that a refusal
// behind the rate check gives back is the only thing it changes.
func (t *Tree) admit(v ledger.View, parent *manifest.Manifest, session, root string, depth int, child *manifest.Manifest) error {
	if depth > t.limits.MaxDepth {
		return overLimit(CodeDepth, t.limits.MaxDepth, depth, "a child would be %d deep; max_depth is %d", depth, t.limits.MaxDepth)
	}
	if n := v.LiveChildren(session); n >= t.limits.MaxChildren {
		return overLimit(CodeChildren, t.limits.MaxChildren, n, "%d children live; max_children is %d", n, t.limits.MaxChildren)
	}
	if n := v.LiveHost(); n >= t.limits.MaxLive {
		return overLimit(CodeHost, t.limits.MaxLive, n, "%d capsules live on this host; max_live_capsules is %d", n, t.limits.MaxLive)
	}
	if refused := t.room(); refused != nil {
		return refused
	}
	if n := v.TotalUnder(root); n >= t.limits.MaxPerRoot {
		return overLimit(CodeTotal, t.limits.MaxPerRoot, n, "%d delegations were made beneath this root; max_spawns_per_root is %d", n, t.limits.MaxPerRoot)
	}
	undo, wait := t.rates.take(root, time.Now())
	if wait > 0 {
		r := overLimit(CodeRate, t.limits.Burst, t.limits.Burst, "this root delegates faster than %g a minute with bursts of %d",
			t.limits.RatePerMinute, t.limits.Burst)
		r.RetryAfter = wait
		return r
	}
	if refused := fits(parent, child); refused != nil {
		undo()
		return refused
	}
	if s, ok := v.Session(session); t.draining.Load() || !ok || s.State != ledger.Running && s.State != ledger.Starting {
		undo()
		return refuse(CodeShuttingDown, "this session is being ended")
	}
	return nil
}

// room refuses what would begin on a disk that is nearly full: its records could not be written.
func (t *Tree) room() *Refusal {
	if t.disk == nil {
		return nil
	}
	free, floor, enough := t.disk()
	if enough {
		return nil
	}
	return overLimit(CodeHost, int(floor), int(free), "%d bytes are free on the disk of the state folder; below the floor of %d nothing is begun", free, floor)
}

// ids are what the launcher mints for one session, once.
type ids struct{ session, task, context string }

func mint() ids {
	return ids{session: id.Session.New(), task: id.Task.New(), context: id.Context.New()}
}
