package murmur

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// life runs a capsule on a task and returns its work folder.
func life(t *testing.T, task string, do func(string) (string, error)) (string, error) {
	t.Helper()
	work := t.TempDir()
	return work, serve(strings.NewReader(task), work, do)
}

func answer(t *testing.T, work string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(work, AnswerFile))
	require.NoError(t, err)
	return string(text)
}

func TestTheTaskComesFromStdinAndTheAnswerGoesToItsFile(t *testing.T) {
	t.Parallel()
	work, err := life(t, "hello", func(task string) (string, error) { return "you said: " + task, nil })
	require.NoError(t, err)
	assert.Equal(t, "you said: hello", answer(t, work))
	left, err := os.ReadDir(filepath.Join(work, "out"))
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing but the answer is left")
}

func TestAnEmptyAnswerIsAnAnswer(t *testing.T) {
	t.Parallel()
	work, err := life(t, "", func(string) (string, error) { return "", nil })
	require.NoError(t, err)
	assert.Empty(t, answer(t, work))
}

func TestACapsuleThatHasAnsweredOtherwiseLeavesNoEmptyFile(t *testing.T) { //nolint:paralleltest // it changes what serve looks at
	answered.Store(true)
	t.Cleanup(func() { answered.Store(false) })
	work, err := life(t, "", func(string) (string, error) { return "", nil })
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(work, AnswerFile))
	work, err = life(t, "", func(string) (string, error) { return "a file all the same", nil })
	require.NoError(t, err)
	assert.Equal(t, "a file all the same", answer(t, work))
}

func TestAFailureWithoutAnAnswerLeavesNone(t *testing.T) {
	t.Parallel()
	work, err := life(t, "", func(string) (string, error) { return "", errors.New("no luck") })
	require.EqualError(t, err, "no luck")
	assert.NoFileExists(t, filepath.Join(work, AnswerFile))
}

func TestAFailureMayLeaveAnAnswerBesideIt(t *testing.T) {
	t.Parallel()
	work, err := life(t, "", func(string) (string, error) { return "half of it", errors.New("no luck") })
	require.EqualError(t, err, "no luck")
	assert.Equal(t, "half of it", answer(t, work))
}

func TestALaterAnswerReplacesTheEarlier(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	require.NoError(t, leave(work, "a long first answer"))
	require.NoError(t, leave(work, "second"))
	assert.Equal(t, "second", answer(t, work))
}

func TestATaskThatCannotBeReadIsNotBegun(t *testing.T) {
	t.Parallel()
	err := serve(iotest.ErrReader(errors.New("no stdin")), t.TempDir(), func(string) (string, error) {
		t.Error("the task is begun")
		return "", nil
	})
	require.EqualError(t, err, "task: no stdin")
}

func TestAnAnswerThatCannotBeLeftIsAFailure(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "out"), nil, 0o600))
	require.ErrorContains(t, leave(work, "x"), "answer: ")
}
