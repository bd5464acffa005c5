package tasks_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/internal/hosttest"
	"rookery/worker/tasks"
)

// soon is a deadline that a guest lives to see, also on a busy machine.
const soon = 300 * time.Millisecond

func TestADeadlineTellsTheBlockedOpAndKeepsTheAnswerThatIsLeftThen(t *testing.T) {
	t.Parallel()
	var r *rig
	r = newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		ops.Call(ctx, "delegate", []byte(`{"capsule":"counter","version":"0.1.0","task":"t"}`))
		assert.Contains(t, string(ops.Call(ctx, "await", []byte(`{}`))), `"canceled"`)
		r.answer("half")
		return tasks.Result{}
	}))
	r.Assigned.Limits.DeadlineMs = soon.Milliseconds()
	before := time.Now()
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.GreaterOrEqual(t, time.Since(before), soon)
	assert.Equal(t, outcome.End{SessionID: "ses_1", TaskID: "tsk_1", Status: outcome.Error, Detail: "deadline 300ms"}, r.end())
	assert.Equal(t, "half", r.read(r.Records, "out/result.txt"))
}

func TestAGuestThatHeedsNothingIsTrappedHalfASecondAfterTheDeadline(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(func(ctx context.Context, _ tasks.Work, _ tasks.Ops) tasks.Result {
		<-ctx.Done()
		return tasks.Result{Canceled: true, Detail: "canceled"}
	}))
	r.Assigned.Limits.DeadlineMs = soon.Milliseconds()
	before := time.Now()
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.GreaterOrEqual(t, time.Since(before), soon+500*time.Millisecond)
	assert.Equal(t, "deadline 300ms", r.end().Detail)
	assert.Empty(t, r.exits())
}

func TestADeadlineThatPassesWhenTheGuestHasLeftSpoilsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		ops.Call(ctx, "delegate", []byte(`{"capsule":"counter","version":"0.1.0","task":"t"}`))
		return tasks.Result{}
	}))
	r.Assigned.Limits.DeadlineMs = time.Second.Milliseconds()
	before := time.Now()
	r.host = hosttest.Start(t, hosttest.Answers{EndTask: func(ctx context.Context, _ string) error {
		select { // the child takes its time
		case <-time.After(time.Until(before.Add(1200 * time.Millisecond))):
		case <-ctx.Done():
		}
		return nil
	}})
	r.HostSock = r.host.Path
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.GreaterOrEqual(t, time.Since(before), time.Second)
	assert.Equal(t, outcome.OK, r.end().Status)
}

// stuck is a guest that nothing stops, as one in the middle of a large bulk operation.
func stuck(running chan<- struct{}, release <-chan struct{}) code {
	return func(context.Context, tasks.Work, tasks.Ops) tasks.Result {
		close(running)
		<-release
		return tasks.Result{}
	}
}

func TestTheWatchdogLeavesTheRecordAndThenTheProcess(t *testing.T) {
	t.Parallel()
	running, release := make(chan struct{}), make(chan struct{})
	r := newRig(t, stuck(running, release)).delegated("http://127.0.0.1:1")
	r.Assigned.Limits.DeadlineMs = soon.Milliseconds()
	s, ctx := r.session()
	before := time.Now()
	code := make(chan int, 1)
	go func() { code <- s.Run(ctx) }()
	<-running
	<-ctx.Done() // the process would be gone now
	assert.GreaterOrEqual(t, time.Since(before), soon+700*time.Millisecond)
	assert.Equal(t, []int{plugin.ExitWatchdog}, r.exits())
	assert.Equal(t, outcome.Error, r.completion().Status)
	assert.Equal(t, "deadline 300ms", r.completion().Detail)
	assert.Empty(t, r.completion().DeliveryError, "nobody was told")
	close(release)
	assert.Equal(t, plugin.ExitWatchdog, <-code)
}

func TestTheWatchdogOfASessionThatWasAskedToEndLeavesNoRecord(t *testing.T) {
	t.Parallel()
	running, release := make(chan struct{}), make(chan struct{})
	r := newRig(t, stuck(running, release))
	s, ctx := r.session()
	code := make(chan int, 1)
	go func() { code <- s.Run(ctx) }()
	<-running
	before := time.Now()
	s.End(workerv1.EndCause_END_CAUSE_DELEGATION_DEADLINE, "delegation deadline 60s")
	<-ctx.Done()
	assert.GreaterOrEqual(t, time.Since(before), 700*time.Millisecond)
	assert.Equal(t, []int{plugin.ExitWatchdog}, r.exits())
	close(release)
	assert.Equal(t, plugin.ExitEnded, <-code)
	r.unrecorded()
}
