package roots

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/fleet"
)

// usual is the policy of a fleet file that names no numbers.
func usual(when fleet.When) fleet.Restart {
	return fleet.Restart{When: when, Max: 5, Window: 10 * time.Second, Backoff: 100 * time.Millisecond, BackoffMax: 30 * time.Second}
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestWhichEndsAreFollowedByAnotherRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		when      fleet.When
		ok, meant bool
		again     bool
	}{
		"never, and it ended ok":                       {fleet.Never, true, false, false},
		"never, and it failed":                         {fleet.Never, false, false, false},
		"on failure, and it ended ok":                  {fleet.OnFailure, true, false, false},
		"on failure, and it failed":                    {fleet.OnFailure, false, false, true},
		"on failure, and somebody ended it":            {fleet.OnFailure, false, true, false},
		"always, and it ended ok":                      {fleet.Always, true, false, true},
		"always, and it failed":                        {fleet.Always, false, false, true},
		"always, and somebody ended it":                {fleet.Always, false, true, false},
		"always, and it was ok when somebody ended it": {fleet.Always, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := counter{policy: usual(c.when)}
			d := k.after(end{at: epoch, ok: c.ok, meant: c.meant})
			assert.Equal(t, c.again, d.again)
			assert.False(t, d.gaveUp)
		})
	}
}

func TestARootThatFailsAtOnceIsGivenUp(t *testing.T) {
	t.Parallel()
	k := counter{policy: usual(fleet.OnFailure)}
	at := epoch
	for number, wait := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond} {
		assert.Equal(t, decision{again: true, wait: wait, number: number + 1}, k.after(end{at: at, ran: 50 * time.Millisecond}))
		at = at.Add(wait + 50*time.Millisecond)
	}
	assert.Equal(t, decision{gaveUp: true}, k.after(end{at: at, ran: 50 * time.Millisecond}))
	k.reset()
	assert.Equal(t, decision{again: true, wait: 100 * time.Millisecond, number: 1}, k.after(end{at: at}), "an operator's start counts anew")
}

func TestAQuietWindowCountsAnew(t *testing.T) {
	t.Parallel()
	k := counter{policy: usual(fleet.Always)}
	at := epoch
	for range 5 {
		at = at.Add(k.after(end{at: at}).wait)
	}
	at = at.Add(10 * time.Second)
	assert.Equal(t, decision{again: true, wait: 100 * time.Millisecond, number: 1}, k.after(end{at: at, ran: 10 * time.Second}))
}

func TestARootThatFailsMoreSlowlyThanTheWindowCountsWaitsLongerAndLonger(t *testing.T) {
	t.Parallel()
	k := counter{policy: usual(fleet.OnFailure)}
	at, starts := epoch, 0
	for at.Before(epoch.Add(time.Hour)) {
		d := k.after(end{at: at, ran: 3 * time.Second})
		require.True(t, d.again)
		starts++
		at = at.Add(d.wait + 3*time.Second)
	}
	assert.Less(t, starts, 125, "an hour of failures costs a start each half minute")
}

// TestRandomEnds holds the counter against what it promises, whatever the order and the times of the ends.
func TestRandomEnds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		policy := fleet.Restart{
			When: fleet.Always, Max: 1 + random.IntN(6), Window: time.Duration(1+random.IntN(20)) * time.Second,
			Backoff: time.Duration(1+random.IntN(500)) * time.Millisecond,
		}
		policy.BackoffMax = policy.Backoff * time.Duration(1+random.IntN(100))
		k := counter{policy: policy}
		var decided []time.Time
		at, expected := epoch, policy.Backoff
		for range 100 {
			ran := time.Duration(random.Int64N(int64(policy.Window) * 5 / 4))
			at = at.Add(ran)
			within := 0
			for _, d := range decided {
				if at.Sub(d) < policy.Window {
					within++
				}
			}
			if ran >= policy.Window {
				expected = policy.Backoff
				require.Zero(t, within)
			}
			d := k.after(end{at: at, ran: ran})
			require.NotEqual(t, d.again, d.gaveUp)
			require.Equal(t, within >= policy.Max, d.gaveUp, "%d restarts within %s, %d are allowed", within, policy.Window, policy.Max)
			if d.gaveUp {
				k.reset()
				decided, expected = nil, policy.Backoff
				continue
			}
			require.Equal(t, expected, d.wait)
			require.Equal(t, within+1, d.number)
			decided = append(decided, at)
			expected = min(2*expected, policy.BackoffMax)
			at = at.Add(d.wait)
		}
	}
}
