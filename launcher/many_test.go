package launcher_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/id"
	"rookery/launcher"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// The two tests of this file count what the whole test program holds, so nothing else may run beside them: they are not
// parallel, which puts them before all that are.

// held counts what a leak would add to.
type held struct{ descriptors, goroutines, threads int }

func count(t testing.TB) held {
	t.Helper()
	return held{
		descriptors: len(entries(t, "/proc/self", "fd")),
		goroutines:  runtime.NumGoroutine(),
		threads:     len(entries(t, "/proc/self", "task")),
	}
}

// settled waits until nothing is held beyond what was before.
func settled(t testing.TB, before held) {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	late := time.After(bound)
	for {
		now := count(t)
		if now.descriptors <= before.descriptors && now.goroutines <= before.goroutines {
			return
		}
		select {
		case <-again.C:
		case <-late:
			var stacks [1 << 20]byte
			require.Fail(t, "something leaks", "before %+v, now %+v\n%s", before, now, stacks[:runtime.Stack(stacks[:], true)])
		}
	}
}

//nolint:paralleltest // it counts what the process holds
func TestFiftySessionsLeaveNothing(t *testing.T) {
	h := newHost(t)
	given := spec(t, "")
	session := func(i int) {
		given.SessionID = id.Session.New()
		given.Files[behaveFile] = []byte([]string{"", "exit 9", "garbage", "door", "stubborn"}[i%5])
		prepared, err := h.Prepare(context.Background(), given)
		require.NoError(t, err)
		if i%10 == 6 {
			require.NoError(t, prepared.Discard())
			return
		}
		w, err := prepared.Exec(context.Background())
		require.NoError(t, err)
		if i%10 != 5 {
			require.NoError(t, w.OpenGate())
			_, err = w.Connect(context.Background())
			assert.Equal(t, i%5 == 1 || i%5 == 2, err != nil, "%v", err)
		}
		if i%10 == 8 {
			require.NoError(t, unix.Kill(w.Identity().PID, unix.SIGKILL))
		}
		require.NoError(t, w.Stop(context.Background(), &workerv1.EndRequest{}, 20*time.Millisecond))
		require.NoError(t, w.StandIn())
		w.CloseDoor()
		w.Close()
		w.Close()
	}
	session(0) // whatever is made once and kept
	before := count(t)
	for i := range 50 {
		session(i)
	}
	settled(t, before)
	assert.Zero(t, h.Known(), "ended workers stay in the table")
	assert.Empty(t, entries(t, h.state.RunDir(), "w"))
	assert.Empty(t, entries(t, h.state.Root, "sessions"))
	assert.Empty(t, entries(t, h.state.RunDir(), "h"))
	assert.Len(t, entries(t, h.state.Root, "records/census"), 46, "five were discarded")
	assert.Len(t, entries(t, h.state.Root, "work"), 46)
}

//nolint:paralleltest // it counts what the process holds
func TestFortyWorkersKilledTogetherAreFortyExitsAndNoThreads(t *testing.T) {
	h := newHost(t)
	before := count(t)
	workers := make([]*launcher.Worker, 40)
	var starting sync.WaitGroup
	for i := range workers {
		workers[i] = h.exec(t, spec(t, ""))
		require.NoError(t, workers[i].OpenGate())
		starting.Go(func() {
			_, err := workers[i].Connect(context.Background())
			assert.NoError(t, err)
		})
	}
	starting.Wait()
	assert.Less(t, count(t).threads, before.threads+20, "waiting must not hold a thread each")

	for _, w := range workers {
		found, live := h.ByPID(w.Identity().PID)
		require.True(t, live)
		require.Same(t, w, found)
	}
	begun := time.Now()
	for _, w := range workers {
		require.NoError(t, unix.Kill(w.Identity().PID, unix.SIGKILL))
	}
	for _, w := range workers {
		assert.Equal(t, "signal: killed", ended(t, w).Detail())
		_, live := h.ByPID(w.Identity().PID)
		assert.False(t, live)
	}
	t.Logf("40 exits after %v", time.Since(begun))
}
