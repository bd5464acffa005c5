package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/store"
)

func TestWhatUpdateWroteIsThereAfterReopening(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "state.db")
	s, _, err := store.Open(path, patience)
	require.NoError(t, err)
	put(t, s, "a", "1")
	put(t, s, "b", "2")
	put(t, s, "empty", "")
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		tx.Delete("rows", "b")
		tx.Delete("rows", "never there")
		return tx.Put("rows", "a", []byte("3"))
	}))
	require.NoError(t, s.Close())

	assert.Equal(t, map[string]string{"a": "3", "empty": ""}, rows(t, open(t, path), "rows"))
}

func TestAFunctionSeesItsOwnWrites(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(folder(t), "state.db"))
	put(t, s, "a", "1")
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Put("rows", "a", []byte("2")))
		value, ok, err := tx.Get("rows", "a")
		assert.True(t, ok)
		assert.NoError(t, err)
		assert.Equal(t, "2", string(value))
		tx.Delete("rows", "a")
		_, ok, err = tx.Get("rows", "a")
		assert.False(t, ok)
		assert.NoError(t, err)
		_, ok, err = tx.Get("no such bucket", "a")
		assert.False(t, ok)
		return err
	}))
	assert.Empty(t, rows(t, s, "rows"))
}

// held keeps the writer busy until the returned function is called, so that
// everything sent meanwhile falls into groups.
func held(t *testing.T, s *store.Store) (release func()) {
	t.Helper()
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		left <- s.Update(context.WithoutCancel(t.Context()), func(*store.Tx) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	<-entered
	return func() {
		close(leave)
		require.NoError(t, <-left)
	}
}

func TestManyCallersShareFewCommits(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(folder(t), "state.db"))
	release := held(t, s)

	const callers = 200
	var done sync.WaitGroup
	// Group members are told of their commit one after the other, before any of
	// them is answered; a new group begins when a function runs behind such a word.
	groups, told := 0, true
	for n := range callers {
		done.Go(func() {
			assert.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				if told {
					groups, told = groups+1, false
				}
				tx.After(func(err error) {
					assert.NoError(t, err)
					told = true
				})
				return tx.Put("rows", fmt.Sprint(n), []byte("x"))
			}))
		})
	}
	release()
	done.Wait()
	assert.Len(t, rows(t, s, "rows"), callers)
	assert.Less(t, groups, callers/2, "commits were not shared")
}

func TestAFailingFunctionLeavesNothingAndDisturbsNobody(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(folder(t), "state.db"))
	refused := errors.New("refused")
	release := held(t, s)
	var done sync.WaitGroup
	for n := range 100 {
		done.Go(func() {
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				require.NoError(t, tx.Put("rows", fmt.Sprint(n), []byte("x")))
				require.NoError(t, tx.Put("rows", "shared", []byte(fmt.Sprint(n))))
				if n%2 == 1 {
					tx.After(func(error) { assert.Fail(t, "told of a commit it has no part in") })
					return refused
				}
				return nil
			})
			if n%2 == 1 {
				assert.Equal(t, refused, err)
			} else {
				assert.NoError(t, err)
			}
		})
	}
	release()
	done.Wait()
	got := rows(t, s, "rows")
	assert.Len(t, got, 51)
	for key := range got {
		assert.True(t, key == "shared" || strings.ContainsAny(key[len(key)-1:], "02468"), key)
	}
}

func TestAnUpdateOfAnEndedContextIsNeverBegun(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(folder(t), "state.db"))
	release := held(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error, 1)
	go func() {
		answer <- s.Update(ctx, func(*store.Tx) error {
			assert.Fail(t, "began")
			return nil
		})
	}()
	cancel()
	require.ErrorIs(t, <-answer, context.Canceled)
	require.ErrorIs(t, s.Update(ctx, func(*store.Tx) error { return nil }), context.Canceled)
	release()
}

func TestAClosedStoreRefuses(t *testing.T) {
	t.Parallel()
	s, _, err := store.Open(filepath.Join(folder(t), "state.db"), patience)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Update(t.Context(), func(*store.Tx) error { return nil }), store.ErrClosed)
	assert.ErrorIs(t, s.View(func(*store.Snapshot) error { return nil }), store.ErrClosed)
}

func TestRowsOutOfBoundsAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(folder(t), "state.db"))
	for name, put := range map[string]func(*store.Tx) error{
		"no bucket":    func(tx *store.Tx) error { return tx.Put("", "k", nil) },
		"no key":       func(tx *store.Tx) error { return tx.Put("rows", "", nil) },
		"a long key":   func(tx *store.Tx) error { return tx.Put("rows", strings.Repeat("k", 40_000), nil) },
		"a long value": func(tx *store.Tx) error { return tx.Put("rows", "k", make([]byte, store.MaxValue+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Error(t, s.Update(t.Context(), put))
		})
	}
}
