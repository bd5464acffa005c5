package fleet

import (
	"time"

	"rookery/capsule/strictyaml"
)

// maxWait bounds the times of a restart policy: a week. Sums of them stay far
// below what a time.Duration holds.
const maxWait = 7 * 24 * time.Hour

// restart checks a policy. This build never starts an ended root again.
func (c *checker) restart(at string, r *restart) {
	switch {
	case r.Policy == "" || c.wrong[at]:
	case r.Policy == "always" && c.options.Once:
		c.bad(at+".policy", "always never ends, and --once waits for the end")
	default:
		c.one(at+".policy", r.Policy, []string{"never"}, []string{"on-failure", "always"})
	}
	before := len(c.faults)
	if r.Max != nil && (*r.Max < 1 || *r.Max > maxCount) {
		c.bad(at+".max", "%d is not a number from 1 to %d", *r.Max, maxCount)
	}
	c.wait(at+".window", r.Window)
	c.wait(at+".backoff", r.Backoff)
	c.wait(at+".backoff_max", r.BackoffMax)
	if len(c.faults) == before {
		c.storm(at, r)
	}
	if len(c.faults) > before {
		return
	}
	for _, key := range []struct {
		name  string
		given bool
	}{
		{"max", r.Max != nil}, {"window", r.Window != nil}, {"backoff", r.Backoff != nil}, {"backoff_max", r.BackoffMax != nil},
	} {
		if key.given {
			c.warnings = append(c.warnings, c.document.Fault(at+"."+key.name, CodeNoEffect,
				"it has no effect: a root that has ended is not started again"))
		}
	}
}

func (c *checker) wait(path string, given *strictyaml.Duration) {
	if given != nil && (*given <= 0 || given.Std() > maxWait) {
		c.bad(path, "%s is not between nothing and %s", given, maxWait)
	}
}

// storm refuses a window so short that the allowed restarts do not fit into it:
// then a capsule that fails at once would be started for ever.
func (c *checker) storm(at string, r *restart) {
	most := 5
	if r.Max != nil {
		most = *r.Max
	}
	window := orElse(r.Window, 10*time.Second)
	wait, longest := orElse(r.Backoff, 100*time.Millisecond), orElse(r.BackoffMax, 30*time.Second)
	if wait > longest {
		c.bad(at+".backoff", "%s is longer than backoff_max, %s", wait, longest)
		return
	}
	var all time.Duration
	for range most {
		if all += wait; all >= window {
			c.bad(at+".window", "%s is not longer than the waits before %d restarts, so their number would never be reached", window, most)
			return
		}
		wait = min(2*wait, longest)
	}
}

func orElse(given *strictyaml.Duration, otherwise time.Duration) time.Duration {
	if given == nil {
		return otherwise
	}
	return given.Std()
}
