package murmur

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These tests change the process's folder and stdin, so none of them is parallel.

func life(t *testing.T, task string, do func(string) (string, error)) error {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("stdin", []byte(task), 0o600))
	stdin, err := os.Open("stdin")
	require.NoError(t, err)
	before := os.Stdin
	os.Stdin = stdin
	t.Cleanup(func() {
		os.Stdin = before
		_ = stdin.Close()
	})
	return serve(do)
}

func TestTheTaskComesFromStdinAndTheAnswerGoesToItsFile(t *testing.T) {
	err := life(t, "hello", func(task string) (string, error) { return "you said: " + task, nil })
	require.NoError(t, err)
	assert.Equal(t, "you said: hello", answer(t))
	left, err := os.ReadDir("out")
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing but the answer is left")
}

func TestAnEmptyAnswerIsAnAnswer(t *testing.T) {
	require.NoError(t, life(t, "", func(string) (string, error) { return "", nil }))
	assert.Empty(t, answer(t))
}

func TestAFailureWithoutAnAnswerLeavesNone(t *testing.T) {
	err := life(t, "", func(string) (string, error) { return "", errors.New("no luck") })
	require.EqualError(t, err, "no luck")
	assert.NoFileExists(t, AnswerFile)
}

func TestAFailureMayLeaveAnAnswerBesideIt(t *testing.T) {
	err := life(t, "", func(string) (string, error) { return "half of it", errors.New("no luck") })
	require.EqualError(t, err, "no luck")
	assert.Equal(t, "half of it", answer(t))
}

func TestALaterAnswerReplacesTheEarlier(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, Answer("a long first answer"))
	require.NoError(t, Answer("second"))
	assert.Equal(t, "second", answer(t))
}

func answer(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(AnswerFile)
	require.NoError(t, err)
	return string(text)
}
