package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACommandThatFollowsEndsWhenNobodyReadsItsOutput(t *testing.T) {
	t.Parallel()
	dir, _ := stateWithSocket(t)
	for _, line := range []string{"tree -w", "events -f", "logs abcd -f", "trace abcd -f"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			read, write, err := os.Pipe()
			require.NoError(t, err)
			defer write.Close()
			e, _, errs := env(nil)
			e.Stdout = write
			code := make(chan int, 1)
			go func() { code <- Run(t.Context(), e, append(strings.Fields(line), "--state", dir)) }()
			require.NoError(t, read.Close())
			select {
			case got := <-code:
				assert.Equal(t, exitFailed, got)
				assert.Empty(t, errs.String())
			case <-time.After(5 * time.Second): // sooner than a connection is given up
				t.Fatal("it goes on")
			}
		})
	}
}

func TestWhatIsReadOrIsNoPipeIsFollowedOn(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	defer write.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	plain, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer plain.Close()
	for name, out := range map[string]*os.File{"a pipe that is read": write, "the null device": null, "a file": plain} {
		ctx, release, err := whileRead(t.Context(), out)
		require.NoError(t, err, name)
		select {
		case <-ctx.Done():
			t.Errorf("%s: %v", name, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond): // that nothing happens has no condition to wait for
		}
		release()
		assert.ErrorIs(t, context.Cause(ctx), context.Canceled, name)
		assert.NotErrorIs(t, context.Cause(ctx), errGone, name)
	}
}
