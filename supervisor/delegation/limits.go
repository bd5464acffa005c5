package delegation

import "time"

// Limits are the budgets of the tree. They live here, out of reach of any capsule, and are the same for the life of a supervisor.
type Limits struct {
	// MaxDepth is the deepest child: a root is 0.
	MaxDepth int
	// MaxChildren bounds the live children of one session.
	MaxChildren int
	// MaxLive bounds the live sessions of this host, roots included.
	MaxLive int
	// MaxPerRoot bounds the delegations ever made beneath one root.
	MaxPerRoot int
	// RatePerMinute and Burst bound how fast one root's tree delegates.
	RatePerMinute float64
	Burst         int
}

// The times of a session's life that design and not the fleet decides.
const (
	// startTimeout bounds the way from an open gate to an accepted task. A start takes about 30 ms on an idle machine and was
	// measured at up to 120 ms on a saturated one; the rest is for machines that swap.
	startTimeout = 30 * time.Second
	// askGrace is how long a worker that was asked to end has before it is killed: its own watchdog leaves at 700 ms.
	askGrace = time.Second
	// leaveGrace is how long a worker may live after its task has ended and its children are gone: it writes its record and
	// rings one door.
	leaveGrace = 5 * time.Second
	// backstop is how far behind a task's own deadline the worker is killed: its guest traps at 500 ms and its watchdog leaves
	// at 700 ms.
	backstop = time.Second
	// endBudget is the time for a subtree that ends for a reason of the tree's own (deadline, end of a task or of a parent).
	endBudget = 5 * time.Second
	// commitTimeout bounds one change to the ledger; a commit takes about a millisecond.
	commitTimeout = 30 * time.Second
)
