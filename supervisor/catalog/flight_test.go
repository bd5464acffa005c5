package catalog

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThoseWhoWaitGetTheErrorOfTheOneWhoWorks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flights
		failed, leave := errors.New("no such instruction"), make(chan struct{})
		answers := make(chan error, 3)
		work := func() error {
			<-leave
			return failed
		}
		for range 3 {
			go func() { answers <- f.do(t.Context(), "key", work) }()
			synctest.Wait()
			work = func() error {
				assert.Fail(t, "it was done twice")
				return nil
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- f.do(ctx, "key", work) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-left, context.Canceled, "one who waits may leave")
		require.NoError(t, f.do(t.Context(), "another key", func() error { return nil }))
		close(leave)
		for range 3 {
			assert.Equal(t, failed, <-answers)
		}
		assert.Empty(t, f.now)
	})
}

func TestOneWhoGivesUpDoesNotFailTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f flights
		ctx, giveUp := context.WithCancel(t.Context())
		leader, follower := make(chan error, 1), make(chan error, 1)
		go func() {
			leader <- f.do(ctx, "key", func() error {
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		synctest.Wait()
		worked := 0
		go func() {
			follower <- f.do(t.Context(), "key", func() error {
				worked++
				return nil
			})
		}()
		synctest.Wait()
		giveUp()
		require.ErrorIs(t, <-leader, context.Canceled)
		require.NoError(t, <-follower)
		assert.Equal(t, 1, worked)
	})
}
