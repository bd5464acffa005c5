package fleet

import (
	"time"

	"rookery/capsule/strictyaml"
)

// maxWait bounds the times of a restart policy: a week. Sums of them stay far
// below what a time.Duration holds.
const maxWait = 7 * 24 * time.Hour

// maxRestarts bounds how many restarts are remembered of each root.
const maxRestarts = 1000

// When says after which ends a root runs again.
type When string

// The policies.
const (
	// Never leaves a root that has ended as it is.
	Never When = "never"
	// OnFailure runs it again unless it ended ok.
	OnFailure When = "on-failure"
	// Always runs it again.
	Always When = "always"
)

// Restart says whether and how a root that has ended runs again.
type Restart struct {
	When When
	// Max is how many restarts there may be within Window; the next end is the last one.
	Max    int
	Window time.Duration
	// Backoff is the wait before the first restart. It doubles up to BackoffMax, and begins anew after a run that lasted Window.
	Backoff, BackoffMax time.Duration
}

// defaultRestart is what a fleet file that says nothing has.
var defaultRestart = Restart{When: Never, Max: 5, Window: 10 * time.Second, Backoff: 100 * time.Millisecond, BackoffMax: 30 * time.Second}

// restart checks a policy and completes it.
func (c *checker) restart(at string, w *restart) Restart {
	r := defaultRestart
	switch {
	case w.Policy == "" || c.wrong[at]:
	case w.Policy == string(Always) && c.options.Once:
		c.bad(at+".policy", "always never ends, and --once waits for the end")
	default:
		c.one(at+".policy", w.Policy, []string{string(Never), string(OnFailure), string(Always)}, nil)
		r.When = When(w.Policy)
	}
	before := len(c.faults)
	if w.Max != nil {
		if r.Max = *w.Max; r.Max < 1 || r.Max > maxRestarts {
			c.bad(at+".max", "%d is not a number from 1 to %d", r.Max, maxRestarts)
		}
	}
	c.wait(at+".window", w.Window, &r.Window)
	c.wait(at+".backoff", w.Backoff, &r.Backoff)
	c.wait(at+".backoff_max", w.BackoffMax, &r.BackoffMax)
	if len(c.faults) == before {
		c.storm(at, r)
	}
	if len(c.faults) == before && r.When == Never {
		c.idle(at, w)
	}
	return r
}

// idle warns of keys that change nothing.
func (c *checker) idle(at string, w *restart) {
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"max", w.Max != nil}, {"window", w.Window != nil}, {"backoff", w.Backoff != nil}, {"backoff_max", w.BackoffMax != nil},
	} {
		if key.given {
			c.warnings = append(c.warnings, c.document.Fault(at+"."+key.name, CodeNoEffect, "it has no effect: the policy is never"))
		}
	}
}

func (c *checker) wait(path string, given *strictyaml.Duration, into *time.Duration) {
	if given == nil {
		return
	}
	if *into = given.Std(); *into <= 0 || *into > maxWait {
		c.bad(path, "%s is not between nothing and %s", given, maxWait)
	}
}

// storm refuses a window so short that the allowed restarts do not fit into it:
// then a capsule that fails at once would be started for ever.
func (c *checker) storm(at string, r Restart) {
	wait := r.Backoff
	if wait > r.BackoffMax {
		c.bad(at+".backoff", "%s is longer than backoff_max, %s", wait, r.BackoffMax)
		return
	}
	var all time.Duration
	for range r.Max {
		if all += wait; all >= r.Window {
			c.bad(at+".window", "%s is not longer than the waits before %d restarts, so their number would never be reached", r.Window, r.Max)
			return
		}
		wait = min(2*wait, r.BackoffMax)
	}
}
