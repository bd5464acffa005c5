package delegation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestARootsTreeDelegatesInBurstsAndThenAtItsRate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	r := newRates(Limits{RatePerMinute: 120, Burst: 3})
	for range 3 {
		_, wait := r.take("ses_a", now)
		require.Zero(t, wait)
	}
	_, wait := r.take("ses_a", now)
	require.Equal(t, 500*time.Millisecond, wait, "two a second")

	_, wait = r.take("ses_b", now)
	require.Zero(t, wait, "another root has its own bucket")

	_, wait = r.take("ses_a", now.Add(500*time.Millisecond))
	require.Zero(t, wait, "the refused call took no token")
}

func TestATokenOfARefusedDelegationComesBack(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	r := newRates(Limits{RatePerMinute: 1, Burst: 1})
	undo, wait := r.take("ses_a", now)
	require.Zero(t, wait)
	undo()
	_, wait = r.take("ses_a", now)
	require.Zero(t, wait)
	_, wait = r.take("ses_a", now)
	require.Positive(t, wait)
}
