package hostlink_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/hostlink"
	"rookery/worker/internal/hosttest"
)

func TestOfManyWordsTheLastIsSaidBeforeTheLinkCloses(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{})
	link, err := hostlink.Open(t.Context(), hostlink.Config{Path: host.Path, Log: zerolog.Nop()})
	require.NoError(t, err)
	soon(t, link.Attached)
	for range 1000 {
		link.Progress("working", "on it")
	}
	link.Progress("working", "done")
	require.NoError(t, link.Close(bounded(t)))
	said := host.Calls().Progress
	assert.LessOrEqual(t, len(said), 3, "a thousand words of one moment")
	assert.Equal(t, "working: done", said[len(said)-1])
}

func TestAWordThatWasNotHeardIsNotSaidAgain(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	host := hosttest.Start(t, hosttest.Answers{Progress: func(r *hostv1.ProgressRequest) error {
		heard <- r.GetMessage()
		return status.Error(codes.ResourceExhausted, "too many")
	}})
	link := open(t, host, nil)
	link.Progress("working", "one")
	assert.Equal(t, "one", <-heard)
	link.Progress("working", "two")
	assert.Equal(t, "two", <-heard)
	assert.Empty(t, heard)
}

func TestClosingDoesNotWaitForASupervisorThatIsNotThere(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, hosttest.Answers{})
	link, err := hostlink.Open(t.Context(), hostlink.Config{Path: host.Path, Log: zerolog.Nop()})
	require.NoError(t, err)
	link.Progress("working", "to nobody")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, link.Close(ctx))
	assert.NoError(t, ctx.Err())
}

func TestWhatChildrenSayArrivesInTheOrderOfTheStream(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{})
	heard := make(chan string, 10)
	var link *hostlink.Link
	opened := make(chan struct{})
	link, err := hostlink.Open(t.Context(), hostlink.Config{
		Path: host.Path, Log: zerolog.Nop(),
		Released: func(r *hostv1.ReleasedOutcome) {
			<-opened
			_, out := link.Outcomes().Get(r.GetOutcome().GetDelegationId())
			assert.False(t, out, "nobody can read it yet")
			heard <- "released"
		},
		Arrived: func(r *hostv1.ReleasedOutcome) {
			_, out := link.Outcomes().Get(r.GetOutcome().GetDelegationId())
			assert.True(t, out)
			heard <- "arrived"
		},
		Progress: func(p *hostv1.ChildProgress) { heard <- p.GetMessage() },
	})
	require.NoError(t, err)
	close(opened)
	t.Cleanup(func() { require.NoError(t, link.Close(bounded(t))) })
	host.Tell(&hostv1.ChildProgress{DelegationId: "dlg_1", State: "working", Message: "half"})
	host.Release("tsk_1", outcome(1))
	for _, want := range []string{"half", "released", "arrived"} {
		select {
		case got := <-heard:
			assert.Equal(t, want, got)
		case <-time.After(patience):
			require.FailNow(t, "not heard: "+want)
		}
	}
}
