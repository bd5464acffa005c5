package tasks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	workerv1 "rookery/proto/rookery/worker/v1"
)

func TestOfTwoDeadlinesWithinASecondTheDelegationsCounts(t *testing.T) {
	t.Parallel()
	started := time.UnixMilli(1_800_000_000_000)
	after := func(d time.Duration) int64 { return started.Add(d).UnixMilli() }
	for name, c := range map[string]struct {
		own    time.Duration
		theirs int64
		at     time.Duration // 0: never
		detail string
		tell   time.Duration
	}{
		"none":                         {0, 0, 0, "deadline 0s", 0},
		"only the task's":              {600 * time.Second, 0, 600 * time.Second, "deadline 600s", 600 * time.Second},
		"only the delegation's":        {0, after(time.Minute), 65 * time.Second, "delegation deadline 60s", time.Minute},
		"the task's is earlier":        {10 * time.Second, after(time.Minute), 10 * time.Second, "deadline 10s", 10 * time.Second},
		"the task's is a second early": {59 * time.Second, after(time.Minute), 65 * time.Second, "delegation deadline 60s", time.Minute},
		"a little more than a second":  {58900 * time.Millisecond, after(time.Minute), 58900 * time.Millisecond, "deadline 58.9s", 58900 * time.Millisecond},
		"the delegation's is earlier":  {600 * time.Second, after(time.Minute), 65 * time.Second, "delegation deadline 60s", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Session{started: started, Config: Config{Assigned: &workerv1.AssignRequest{Limits: &workerv1.Limits{
				DeadlineMs: c.own.Milliseconds(), DelegationDeadlineUnixMs: c.theirs,
			}}}}
			got := s.deadline()
			since := func(at time.Time) time.Duration {
				if at.IsZero() {
					return 0
				}
				return at.Sub(started)
			}
			assert.Equal(t, c.at, since(got.at))
			assert.Equal(t, c.tell, since(got.tell))
			assert.Equal(t, c.detail, got.detail)
		})
	}
}
