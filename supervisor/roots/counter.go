package roots

import (
	"slices"
	"time"

	"rookery/supervisor/fleet"
)

// counter decides whether a root runs again. It knows no clock: the times of the ends are all it goes by. It is for one goroutine.
type counter struct {
	policy fleet.Restart
	// decided are the times of the restarts that count, oldest first: at most policy.Max of them.
	decided []time.Time
	// wait is before the next restart; zero: the first one.
	wait time.Duration
}

// end is one end of a root.
type end struct {
	at  time.Time
	ran time.Duration
	ok  bool
	// meant is an end that somebody wanted: nothing runs again after it.
	meant bool
}

// decision is what follows an end.
type decision struct {
	// again says that it runs again after wait, as restart number of those within the window.
	again  bool
	wait   time.Duration
	number int
	// gaveUp says that it would, but that it has been restarted too often.
	gaveUp bool
}

// after decides about an end, which must not be before those of earlier calls.
func (c *counter) after(e end) decision {
	if e.meant || c.policy.When == fleet.Never || c.policy.When == fleet.OnFailure && e.ok {
		return decision{}
	}
	if e.ran >= c.policy.Window {
		c.reset() // it was quiet for long enough
	}
	c.decided = slices.DeleteFunc(c.decided, func(at time.Time) bool { return e.at.Sub(at) >= c.policy.Window })
	if len(c.decided) >= c.policy.Max {
		return decision{gaveUp: true}
	}
	c.decided = append(c.decided, e.at)
	wait := max(c.wait, c.policy.Backoff)
	c.wait = min(2*wait, c.policy.BackoffMax)
	return decision{again: true, wait: wait, number: len(c.decided)}
}

// reset forgets every restart.
func (c *counter) reset() { c.decided, c.wait = nil, 0 }
