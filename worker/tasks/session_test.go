package tasks_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	hostv1 "rookery/proto/rookery/host/v1"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/internal/hosttest"
	"rookery/worker/tasks"
)

func TestAGoodEndLeavesItsRecordAnswerAndTrace(t *testing.T) {
	t.Parallel()
	var r *rig
	r = newRig(t, code(func(_ context.Context, w tasks.Work, _ tasks.Ops) tasks.Result {
		assert.Equal(t, []string{"local/census"}, w.Args)
		assert.Equal(t, "count", string(w.Stdin))
		answer, err := r.Post.Post(t.Context(), r.url+"/elsewhere", nil, nil)
		if assert.NoError(t, err, "the door is open while the task runs") {
			assert.Equal(t, http.StatusNotFound, answer.Status)
		}
		r.answer("42")
		return tasks.Result{}
	}))
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.End{SessionID: "ses_1", TaskID: "tsk_1", Status: outcome.OK}, r.end())
	assert.Equal(t, "42", r.read(r.Records, "out/result.txt"))
	assert.Equal(t, "42", r.read(r.Records, "out/result_tsk_1.txt"))
	assert.Equal(t, []string{"session_start", "task_start", "task_end ok", "session_end ok"}, r.events())
}

func TestWhatTheTaskPrintedIsItsAnswerWhenItLeftNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ printed, want string }{
		"a line":                        {"seven\n", "seven\n"},
		"as much as an answer may have": {strings.Repeat("x", 65536), strings.Repeat("x", 65536)},
		"more than that":                {strings.Repeat("x", 70000), strings.Repeat("x", 65536)},
		"more, the cut in the middle of a character": {strings.Repeat("é", 40000)[1:], strings.Repeat("é", 32768)[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, code(func(_ context.Context, w tasks.Work, _ tasks.Ops) tasks.Result {
				for rest := c.printed; rest != ""; {
					piece := rest[:min(len(rest), 1000)]
					_, _ = w.Stdout.Write([]byte(piece))
					rest = rest[len(piece):]
				}
				return tasks.Result{}
			}))
			assert.Equal(t, plugin.ExitDone, r.run())
			got := r.read(r.Records, "out/result.txt")
			require.Len(t, got, len(c.want))
			assert.Equal(t, c.want, got)
		})
	}
}

func TestATaskThatLeavesNothingHasNoAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good)).delegated("")
	require.NoError(t, os.MkdirAll(filepath.Join(r.Work.Name(), "out"), 0o700))
	r.answer("of an earlier task")
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.NoDirExists(t, filepath.Join(r.Records.Name(), "out"))
	assert.Empty(t, r.completion().ResultPath)
}

func TestALinkInTheAnswersPlaceIsRemovedBeforeTheTaskAndRefusedAfterIt(t *testing.T) {
	t.Parallel()
	target := filepath.Join(folder(t).Name(), "secret")
	require.NoError(t, os.WriteFile(target, []byte("secret"), 0o600))
	var r *rig
	r = newRig(t, code(func(context.Context, tasks.Work, tasks.Ops) tasks.Result {
		place := filepath.Join(r.Work.Name(), "out/result.txt")
		assert.NoFileExists(t, place)
		assert.NoError(t, os.Symlink(target, place))
		return tasks.Result{}
	}))
	require.NoError(t, os.MkdirAll(filepath.Join(r.Work.Name(), "out"), 0o700))
	require.NoError(t, os.Symlink(target, filepath.Join(r.Work.Name(), "out/result.txt")))
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.Error, r.end().Status)
	assert.Contains(t, r.end().Detail, "the answer cannot be taken: ")
	assert.NoDirExists(t, filepath.Join(r.Records.Name(), "out"))
	assert.FileExists(t, target)
}

func TestAnAnswerOverTheLimitIsAnError(t *testing.T) {
	t.Parallel()
	var r *rig
	r = newRig(t, code(func(context.Context, tasks.Work, tasks.Ops) tasks.Result {
		r.answer("")
		assert.NoError(t, os.Truncate(filepath.Join(r.Work.Name(), "out/result.txt"), 64<<20+1))
		return tasks.Result{}
	}))
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.Error, r.end().Status)
	assert.Contains(t, r.end().Detail, "larger than the limit of 67108864 bytes")
}

func TestEndsThatAreErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrange  func(*rig)
		executor code
		want     string
	}{
		"a task that fails": {nil, func(context.Context, tasks.Work, tasks.Ops) tasks.Result {
			return tasks.Result{Detail: "exit 3"}
		}, "exit 3"},
		"code that cannot be loaded": {func(r *rig) {
			r.Load = func() (tasks.Executor, error) { return nil, errors.New("made by another engine") }
		}, nil, "could not start: made by another engine"},
		"a work folder whose out is a link": {func(r *rig) {
			require.NoError(r.t, os.Symlink(folder(r.t).Name(), filepath.Join(r.Work.Name(), "out")))
		}, good, "could not prepare the work folder: mkdir out: a symbolic link is in the way"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.executor)
			if c.arrange != nil {
				c.arrange(r)
			}
			assert.Equal(t, plugin.ExitDone, r.run())
			assert.Equal(t, outcome.End{SessionID: "ses_1", TaskID: "tsk_1", Status: outcome.Error, Detail: c.want}, r.end())
			assert.Equal(t, []string{"session_start", "task_start", "task_end failed", "session_end failed"}, r.events())
		})
	}
}

func TestASessionThatCannotTraceEndsWithItsCode(t *testing.T) {
	t.Parallel()
	ran := false
	r := newRig(t, code(func(context.Context, tasks.Work, tasks.Ops) tasks.Result {
		ran = true
		return tasks.Result{}
	}))
	require.NoError(t, os.WriteFile(filepath.Join(r.Records.Name(), "trace.jsonl"), nil, 0o600))
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.Error, r.end().Status)
	assert.Contains(t, r.end().Detail, "E-RUN-007: ")
	assert.False(t, ran)
}

func TestARecordThatCannotBeWrittenIsToldByTheExitCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good))
	require.NoError(t, os.Mkdir(filepath.Join(r.Records.Name(), outcome.EndFile), 0o700))
	assert.Equal(t, plugin.ExitRecord, r.run())
}

func TestAnUnreadableHandleRefusesTheSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good))
	r.Assigned.Spawner = `{"session_id":""}`
	_, err := tasks.New(r.Config)
	assert.ErrorContains(t, err, "E-RUN-020")
}

func TestChildrenThatTheTaskLeftAreEndedAndTracedBeforeTheRecord(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		answer := ops.Call(ctx, "delegate", []byte(`{"capsule":"counter","version":"0.1.0","task":"t","request_key":"k"}`))
		assert.Contains(t, string(answer), `"status":"started"`)
		return tasks.Result{}
	}))
	r.host = hosttest.Start(t, hosttest.Answers{EndTask: func(context.Context, string) error {
		assert.NoFileExists(t, filepath.Join(r.Records.Name(), outcome.EndFile))
		r.host.Release("tsk_1", &hostv1.Outcome{DelegationId: r.host.Started()[0], Status: "terminated", Detail: "ended with the delegating task"})
		return nil
	}})
	r.HostSock = r.host.Path
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, []string{"tsk_1"}, r.host.Calls().EndTask)
	assert.Equal(t, r.host.Started(), r.host.Calls().Acknowledged, "said before the process leaves")
	assert.Equal(t, []string{"session_start", "task_start", "delegation_start", "delegation terminated", "task_end ok", "session_end ok"}, r.events())
}

func TestASessionThatIsAskedToEndLeavesNoRecord(t *testing.T) {
	t.Parallel()
	running := make(chan struct{})
	var r *rig
	r = newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		close(running)
		for !strings.Contains(string(ops.Call(ctx, "self", []byte(`{}`))), `"canceled"`) {
			if ctx.Err() != nil {
				assert.Fail(t, "the cancel was not told")
				break
			}
		}
		r.answer("what there is")
		return tasks.Result{}
	})).delegated("http://127.0.0.1:1")
	s, ctx := r.session()
	code := make(chan int, 1)
	go func() { code <- s.Run(ctx) }()
	<-running
	s.End(workerv1.EndCause_END_CAUSE_OPERATOR, "ended by an operator: enough")
	s.End(workerv1.EndCause_END_CAUSE_DRAIN, "a second time")
	assert.Equal(t, plugin.ExitEnded, <-code)
	r.unrecorded()
	assert.Equal(t, "what there is", r.read(r.Records, "out/result.txt"))
	assert.Equal(t, []string{"session_start", "task_start", "task_end canceled", "session_end canceled"}, r.events())
	assert.Contains(t, r.read(r.Records, "trace.jsonl"), "ended by an operator: enough")
	assert.Empty(t, r.exits())
}

func TestASessionThatIsAskedToEndBeforeItBeganRunsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(func(context.Context, tasks.Work, tasks.Ops) tasks.Result {
		assert.Fail(t, "it ran")
		return tasks.Result{}
	}))
	s, ctx := r.session()
	s.End(workerv1.EndCause_END_CAUSE_PARENT, "")
	assert.Equal(t, plugin.ExitEnded, s.Run(ctx))
	r.unrecorded()
}

func TestARecordOnDiskStaysWhenTheEndComesLater(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good))
	s, ctx := r.session()
	assert.Equal(t, plugin.ExitDone, s.Run(ctx))
	s.End(workerv1.EndCause_END_CAUSE_DRAIN, "late")
	assert.Equal(t, outcome.OK, r.end().Status)
}

func TestASessionWithoutASupervisorEndsItself(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		answer := ops.Call(ctx, "delegate", []byte(`{"capsule":"counter","version":"0.1.0","task":"t"}`))
		assert.Contains(t, string(answer), `"canceled"`)
		return tasks.Result{}
	})).delegated("")
	r.host.Stop()
	r.Assigned.Limits.OrphanTimeoutMs = 50
	before := time.Now()
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.GreaterOrEqual(t, time.Since(before), 50*time.Millisecond)
	assert.Equal(t, outcome.Error, r.completion().Status)
	assert.Equal(t, "no supervisor for 50ms", r.completion().Detail)
}
