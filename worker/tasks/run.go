package tasks

import (
	"context"
	"fmt"
	"sync"

	"rookery/capsule/failpoint"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	"rookery/worker/door"
	"rookery/worker/hostlink"
	"rookery/worker/internal/live"
	"rookery/worker/ops"
)

// Run lives the session and returns the exit code that says how it ended. It does
// not return before everything it started has ended, but for a guest that cannot be
// stopped: then the process ends.
func (s *Session) Run(ctx context.Context) int {
	ctx, over := context.WithCancel(ctx)
	defer over()
	guestCtx, stopGuest := context.WithCancel(ctx)
	defer stopGuest()
	s.stopGuest = stopGuest

	var beside sync.WaitGroup
	end, link, err := s.open(ctx)
	if err == nil {
		deadline := s.deadline()
		s.calls = ops.New(ctx, ops.Config{
			Assigned: s.Assigned, DeadlineAt: deadline.tell, Link: link, Children: s.children, Events: s.events,
			Task: s.task, Artifacts: s.artifacts, Trace: s.trace, Event: s.taskEvent, Delegated: s.spawner != nil, Stop: s.stop,
			Work: s.Work, GuestLog: s.Stderr, Log: s.Log,
		})
		beside.Go(func() { s.enforce(ctx, s.stopped, s.guestDone, s.lastRecord) })
		beside.Go(func() { s.enforce(ctx, s.asked, ctx.Done(), func() { s.Exit(plugin.ExitWatchdog) }) })
		beside.Go(func() { s.watchDeadline(ctx, deadline) })
		beside.Go(func() { s.watchSupervisor(ctx, link) })
		beside.Go(func() { s.serveDoor(ctx, link) })
		end = s.work(guestCtx)
	}
	s.Stdout.Flush()
	s.Stderr.Flush()
	code := s.conclude(ctx, link, end)
	over()
	beside.Wait()
	failpoint.Hit(failpoint.Exiting)
	return code
}

// open begins what the whole session needs: its trace and its link. On an error, end
// says how the session has failed.
func (s *Session) open(ctx context.Context) (end ending, link *hostlink.Link, err error) {
	if err := s.openTrace(); err != nil {
		return failed(err.Error()), nil, err
	}
	s.children = ops.NewChildren(s.trace, s.taskEvent)
	link, err = hostlink.Open(context.WithoutCancel(ctx), hostlink.Config{
		Path: s.HostSock, Log: s.Log,
		Released: s.children.Released, Arrived: s.events.Arrived, Progress: s.events.Progressed,
	})
	if err != nil {
		return failed(err.Error()), nil, err
	}
	return ending{}, link, nil
}

func (s *Session) serveDoor(ctx context.Context, link *hostlink.Link) {
	session := s.Assigned.GetSession()
	d, err := door.New(door.Config{
		Listener: s.Door,
		Card: door.Card{
			SessionID: session.GetSessionId(), Capsule: session.GetCapsule(), Version: session.GetVersion(),
			URL: session.GetUrl(), Since: s.started,
		},
		Task: s.task, Link: link, Log: s.Log,
	})
	if err == nil {
		err = d.Serve(ctx)
	}
	if err != nil {
		// A bell that cannot be rung delays nothing.
		s.Log.Error().Err(err).Msg("the door is closed")
	}
}

// work runs the task and keeps its answer.
func (s *Session) work(ctx context.Context) ending {
	defer close(s.guestDone)
	if err := s.prepare(); err != nil {
		return failed(fmt.Sprintf("could not prepare the work folder: %v", err))
	}
	executor, err := s.Load()
	if err != nil {
		return failed(fmt.Sprintf("could not start: %v", err))
	}
	task, limits := s.Assigned.GetTask(), s.Assigned.GetLimits()
	printed := &head{}
	if cause := s.ownCause(); cause != "" || s.endAsked() {
		return failed(cause)
	}
	failpoint.Hit(failpoint.Running)
	result := executor.Run(ctx, Work{
		Args:          []string{s.Assigned.GetSession().GetCapsule()},
		Env:           s.Assigned.GetGuestEnv(),
		Stdin:         []byte(task.GetText()),
		Stdout:        both{s.Stdout, printed},
		Stderr:        s.Stderr,
		WorkFD:        s.Work.FD(),
		RuntimeFD:     s.Runtime.FD(),
		MemoryBytes:   limits.GetMemoryBytes(),
		TableElements: limits.GetTableElements(),
		ReadOnly:      s.Assigned.GetFilesystem().GetReadOnly(),
		WorkBytes:     limits.GetWorkdirMaxBytes(),
		WorkFiles:     limits.GetWorkdirMaxFiles(),
		Mounts:        s.mounts(),
		Refused:       s.refused.tell,
	}, s.calls)
	s.refused.flush()
	end := ending{}
	finish, finished := s.calls.Finished()
	switch {
	case finished && result.Exited:
		end = finishedBy(finish)
	case result.Canceled || result.Detail != "":
		end = failed(result.Detail)
	}
	end.said, end.printed = finish.Text, printed.text()
	return end
}

// finishedBy is the end of a task that has said how it ends.
func finishedBy(f ops.Finish) ending {
	if f.State == live.Completed {
		return ending{}
	}
	detail := string(f.State)
	if f.Text != "" {
		detail += ": " + f.Text
	}
	return ending{status: outcome.Error, detail: detail, state: f.State}
}

// prepare makes the folder for the answer and removes an earlier one.
func (s *Session) prepare() error {
	if err := s.Work.MkdirAll(layout.ResultsDir, 0o755); err != nil {
		return err
	}
	if err := s.Work.RemoveAll(layout.ResultFile); err != nil {
		return err
	}
	return s.keepReadOnly()
}
