package roots_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// policy is a restart policy with short waits.
func policy(when string, most int) map[string]any {
	return map[string]any{"policy": when, "max": most, "window": "60s", "backoff": "10ms", "backoff_max": "40ms"}
}

func TestARootThatFailsAtOnceIsGivenUpAndTheFleetEnds(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Fleet{Capsules: []rig.Root{
		{Name: "exit3", Restart: policy("on-failure", 3)},
		{Name: "silent-ok", Restart: policy("on-failure", 3)},
	}}, rig.Flags("--once"))
	assert.Equal(t, 1, h.Exit(rig.Soon))
	ends := h.Ends("exit3")
	require.Len(t, ends, 4, "one run and three restarts")
	assert.Len(t, h.Ends("silent-ok"), 1, "what ended ok does not run again")
	assert.Regexp(t, `(?m)^== exit3 ses_\w+ error\ndetail: exit 3; gave up after 3 restarts in 60s\n== silent-ok ses_\w+ ok$`, h.Stdout())
	assert.Contains(t, h.Log(), `"gave up after 3 restarts in 60s"`)
	h.NothingLeft()
}

// sessionsOf are the sessions of a root, in the order they began.
func sessionsOf(h *rig.Host, root string) []*operatorv1.Session {
	return slices.DeleteFunc(h.Sessions(), func(s *operatorv1.Session) bool { return s.GetRootId() != root })
}

// gaveUp waits until a root has been given up after so many sessions in all, and returns the last.
func gaveUp(t *testing.T, h *rig.Host, root string, sessions int) *operatorv1.Session {
	t.Helper()
	var last *operatorv1.Session
	rig.Until(t, rig.Soon, root+" is given up", func() bool {
		all := sessionsOf(h, root)
		if len(all) == 0 {
			return false
		}
		last = all[len(all)-1]
		return len(all) == sessions && strings.Contains(last.GetDetail(), "gave up")
	})
	return last
}

func TestARootThatWasGivenUpIsStartedByAnOperatorAndCountedAnew(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{ID: "top", Name: "exit3", Restart: policy("on-failure", 2)}}})
	last := gaveUp(t, h, "top", 3)
	assert.Equal(t, "exit 3; gave up after 2 restarts in 60s", last.GetDetail())
	events := h.CLI("events", "--kind", "root", "-o", "table")
	assert.Equal(t, 2, strings.Count(events.Stdout, " root top exit3@0.1.0 restarting (restart "), events.Stdout)
	assert.Equal(t, 1, strings.Count(events.Stdout, " root top exit3@0.1.0 gave_up (exit 3; gave up after 2 restarts in 60s)\n"), events.Stdout)

	said := h.CLI("launch", "--root", "top", "-o", "table")
	assert.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, " launched as top\n")
	gaveUp(t, h, "top", 6)
	said = h.CLI("launch", "--root", "none")
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, "none: no root of the fleet")
	said = h.CLI("launch", "--root", "top", "--task", "x")
	assert.NotEqual(t, 0, said.Code)
	assert.Contains(t, said.Stderr, "leave the other fields empty")
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestAStopDoesNotWaitForARestart(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{
		Name: "exit3", Restart: map[string]any{"policy": "always", "max": 1, "window": "7d", "backoff": "1h", "backoff_max": "1h"},
	}}})
	rig.Until(t, rig.Soon, "the restart waits", func() bool { return strings.Contains(h.Log(), "restart 1 of 1") })
	assert.Equal(t, 0, h.Stop())
	assert.Regexp(t, `^== exit3 ses_\w+ error\ndetail: exit 3\n$`, h.Stdout())
	h.NothingLeft()
}

// running waits until session number n of a root runs, and returns it.
func running(t *testing.T, h *rig.Host, root string, n int) *operatorv1.Session {
	t.Helper()
	var s *operatorv1.Session
	rig.Until(t, rig.Soon, fmt.Sprintf("run %d of %s serves", n, root), func() bool {
		all := sessionsOf(h, root)
		if len(all) == n {
			s = all[n-1]
		}
		return s.GetState() == operatorv1.SessionState_SESSION_STATE_RUNNING
	})
	return s
}

func TestTheAddressOfARootStaysWhileItRunsAgain(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "sleep", Restart: policy("on-failure", 6)}}})
	running := func(n int) *operatorv1.Session { return running(t, h, "sleep", n) }
	first := running(1)
	card := first.GetUrl() + "/.well-known/agent-card.json"
	seen := map[int]int{}
	var mu sync.Mutex
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, card, nil)
				if !assert.NoError(t, err) {
					return
				}
				response, err := client.Do(request)
				if err != nil {
					// Whoever was being answered by the process that was killed is cut off.
					assert.NotErrorIs(t, err, syscall.ECONNREFUSED)
					continue
				}
				_ = response.Body.Close()
				mu.Lock()
				seen[response.StatusCode]++
				mu.Unlock()
			}
		})
	}
	for n := 1; n <= 4; n++ {
		s := running(n)
		assert.Equal(t, first.GetUrl(), s.GetUrl())
		require.NoError(t, rig.Send(int(s.GetPid()), syscall.SIGKILL))
	}
	running(5)
	response, err := http.Get(card) // a capsule that runs answers at once
	require.NoError(t, err)
	_ = response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode)
	stop()
	clients.Wait()
	assert.NotZero(t, seen[http.StatusOK])
	assert.NotZero(t, seen[http.StatusServiceUnavailable])
	assert.Len(t, seen, 2, "nothing else was answered: %v", seen)
	assert.Equal(t, 0, h.Stop())
	_, err = http.Get(card) // nobody answers
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	h.NothingLeft()
}

func TestAnOperatorsStopIsNotUndoneByThePolicy(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "sleep", Restart: policy("always", 3)}}})
	first := running(t, h, "sleep", 1)
	said := h.CLI("stop", first.GetSessionId(), "--grace", "1s")
	require.Equal(t, 0, said.Code, said.Stderr)
	response, err := http.Get(first.GetUrl()) // the stand-in answers at once
	require.NoError(t, err, "its address is kept")
	_ = response.Body.Close()
	assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	said = h.CLI("launch", "--root", "sleep")
	require.Equal(t, 0, said.Code, said.Stderr)
	again := h.CLI("launch", "--root", "sleep")
	assert.Equal(t, 2, again.Code)
	assert.Contains(t, again.Stderr, "the root runs")
	assert.Equal(t, first.GetUrl(), running(t, h, "sleep", 2).GetUrl())
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestAnOperatorsStopEndsARestartThatIsDue(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{
		Name: "exit3", Restart: map[string]any{"policy": "always", "max": 1, "window": "7d", "backoff": "1h", "backoff_max": "1h"},
	}}})
	rig.Until(t, rig.Soon, "the restart waits", func() bool { return strings.Contains(h.Log(), "restart 1 of 1") })
	said := h.CLI("stop", h.RootSession("exit3").GetSessionId(), "-o", "table")
	assert.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, "ended error: exit 3; not restarted: stopped by an operator\n")
	rig.Until(t, rig.Soon, "it has ended for good", func() bool { return strings.Contains(h.Stdout(), "== exit3 ") })
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestManyRestartsLeaveNoDescriptorBehind(t *testing.T) {
	t.Parallel()
	rig.Heavy(t)
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{
		Name: "silent-ok", Restart: map[string]any{"policy": "always", "max": 1000, "window": "1h", "backoff": "1ms", "backoff_max": "1ms"},
	}}})
	after := func(sessions int) int {
		rig.Until(t, 3*rig.Soon, fmt.Sprintf("%d sessions have begun", sessions), func() bool { return len(h.Sessions()) >= sessions })
		n, err := rig.Descriptors(h.PID())
		require.NoError(t, err)
		return n
	}
	few := after(5)
	// A session that runs while they are counted has some twenty: its folders, logs, pipes and its process.
	assert.LessOrEqual(t, after(60), few+20)
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

// ended waits until a root has a session that has ended.
func ended(t *testing.T, h *rig.Host, root string) {
	t.Helper()
	rig.Until(t, rig.Soon, root+" has ended", func() bool {
		all := sessionsOf(h, root)
		return len(all) > 0 && all[len(all)-1].GetState() == operatorv1.SessionState_SESSION_STATE_ENDED
	})
}

func TestWhatEndedStaysEndedAfterADeathAndRunsAnewAfterAStop(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{
		{Name: "silent-ok"},
		{Name: "exit3"},
		{ID: "tried", Name: "exit3", Restart: policy("on-failure", 1)},
		{ID: "done", Name: "silent-ok", Restart: policy("on-failure", 1)},
		{Name: "sleep"},
		{ID: "stopped", Name: "sleep", Restart: policy("always", 1)},
	}})
	counts := func() map[string]int {
		out := map[string]int{}
		for _, s := range h.Sessions() {
			out[s.GetRootId()]++
		}
		return out
	}
	begun := func(root string, sessions int) {
		rig.Until(t, rig.Soon, fmt.Sprintf("%s has %d sessions", root, sessions), func() bool { return counts()[root] == sessions })
	}
	for _, root := range []string{"silent-ok", "exit3", "done"} {
		ended(t, h, root)
	}
	gaveUp(t, h, "tried", 2)
	said := h.CLI("stop", h.RootSession("stopped").GetSessionId())
	require.Equal(t, 0, said.Code, said.Stderr)
	h.Kill9()

	h.Again()
	begun("sleep", 2)
	assert.Equal(t, map[string]int{"silent-ok": 1, "exit3": 1, "tried": 2, "done": 1, "sleep": 2, "stopped": 1}, counts())
	events := h.CLI("events", "--kind", "root", "-o", "table")
	assert.Equal(t, 5, strings.Count(events.Stdout, " kept"), events.Stdout)
	rig.Until(t, rig.Soon, "the first four roots' ends are told again", func() bool { return strings.Count(h.Stdout(), "== ") == 4 })
	assert.Contains(t, h.Stdout(), "exit 3; gave up after 1 restarts in 60s")
	assert.Equal(t, 0, h.Stop())

	h.Again()
	begun("silent-ok", 2)
	gaveUp(t, h, "tried", 4)
	begun("stopped", 2)
	begun("sleep", 3)
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}
