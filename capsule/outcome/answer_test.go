package outcome_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/outcome"
)

func TestThreeWaysOfHavingNoTextAreToldApart(t *testing.T) {
	t.Parallel()
	runtime := folder(t)
	assert.Equal(t, "result: none (the child wrote no result file)", outcome.ResultBlock(outcome.NoAnswer("")))
	assert.Equal(t, "result: none (it is too large)", outcome.ResultBlock(outcome.NoAnswer("it is too large")))
	empty := outcome.HandOver("", "dlg_0001", runtime)
	assert.Equal(t, outcome.Answer{State: outcome.ResultEmpty}, empty)
	assert.Equal(t, "result: (the child's result file is empty)", outcome.ResultBlock(empty))
	assert.Empty(t, names(t, runtime), "nothing is written for a child that wrote nothing")
}

func TestAnAnswerAtOrUnderTheBoundIsHandedOverWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, outcome.MaxAnswerBytes - 1, outcome.MaxAnswerBytes} {
		runtime := folder(t)
		answer := strings.Repeat("a", size)
		assert.Equal(t, outcome.Answer{State: outcome.ResultText, Text: answer}, outcome.HandOver(answer, "dlg_00ab", runtime))
		assert.Empty(t, names(t, runtime))
	}
}

func TestAnAnswerOverTheBoundIsCutAtACharacterMarkedAndKeptWhole(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		kept   int
	}{
		"one byte a character":  {"HEAD " + strings.Repeat("a", outcome.MaxAnswerBytes+4096) + " TAIL", outcome.MaxAnswerBytes},
		"two bytes a character": {"HEAD " + strings.Repeat("é", outcome.MaxAnswerBytes) + " TAIL", outcome.MaxAnswerBytes - 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runtime := folder(t)
			handed := outcome.HandOver(test.answer, "dlg_00ab", runtime)
			assert.True(t, handed.Truncated)
			assert.Equal(t, "delegations/dlg_00ab.txt", handed.WholePath)
			assert.Equal(t, test.answer[:test.kept]+fmt.Sprintf(" […]\n[cut at %d of %d bytes; the whole answer is delegations/dlg_00ab.txt in the runtime directory]",
				test.kept, len(test.answer)), handed.Text)
			assert.Equal(t, "result:\n"+handed.Text, outcome.ResultBlock(handed))
			whole, err := os.ReadFile(filepath.Join(runtime.Name(), "delegations/dlg_00ab.txt"))
			require.NoError(t, err)
			assert.Equal(t, test.answer, string(whole))
		})
	}
}

// long is an answer that has to be cut.
var long = strings.Repeat("a", outcome.MaxAnswerBytes+4096)

func cutWithReason(t *testing.T, handed outcome.Answer) {
	t.Helper()
	assert.True(t, handed.Truncated)
	assert.Empty(t, handed.WholePath)
	assert.Contains(t, handed.Text, fmt.Sprintf("\n[cut at %d of %d bytes; the whole answer could not be kept in the runtime directory: ", outcome.MaxAnswerBytes, len(long)))
	assert.True(t, strings.HasSuffix(handed.Text, "]"))
}

func TestALinkPlantedWhereTheWholeAnswerBelongsIsNotFollowed(t *testing.T) {
	t.Parallel()
	runtime, outside := folder(t), folder(t)
	require.NoError(t, os.Symlink(outside.Name(), filepath.Join(runtime.Name(), "delegations")))
	handed := outcome.HandOver(long, "dlg_00ab", runtime)
	cutWithReason(t, handed)
	assert.Empty(t, names(t, outside))
	assert.NotContains(t, handed.Text, runtime.Name(), "a model is not told the host's paths")
}

func TestARuntimeFolderThatTakesNoFileStillGetsAMarkedCut(t *testing.T) {
	t.Parallel()
	// A folder that is gone takes no file from anybody, root included.
	runtime := folder(t)
	require.NoError(t, os.Remove(runtime.Name()))
	cutWithReason(t, outcome.HandOver(long, "dlg_00ab", runtime))
	require.NoError(t, os.Mkdir(runtime.Name(), 0o700))
	cutWithReason(t, outcome.HandOver(long, "dlg_00ab", nil))
}

func TestAnIDThatNoLauncherMintsNamesNoFile(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"../dlg_00ab", "dlg_../x", "dlg_", "dlg_00AB", "00ab", "", "dlg_00ab/x"} {
		runtime := folder(t)
		cutWithReason(t, outcome.HandOver(long, id, runtime))
		assert.Empty(t, names(t, runtime))
	}
}

func read(t *testing.T, records, work *beneath.Dir, task string) string {
	t.Helper()
	text, path, found, err := outcome.ReadResult(records, work, task)
	require.NoError(t, err)
	require.True(t, found)
	require.FileExists(t, path)
	return text
}

func TestATasksOwnResultComesFirstAndTheWorkFolderLast(t *testing.T) {
	t.Parallel()
	records, work := folder(t), folder(t)
	places := []struct {
		dir        *beneath.Dir
		name, text string
	}{
		{work, "out/result.txt", "work"},
		{work, "out/result_tsk_1.txt", "work, this task's"},
		{records, "out/result.txt", "records"},
		{records, "out/result_tsk_1.txt", "records, this task's"},
	}
	for _, place := range places {
		put(t, place.dir, place.name, place.text)
		assert.Equal(t, place.text, read(t, records, work, "tsk_1"))
	}
	assert.Equal(t, "records", read(t, records, work, ""), "a task's own result only when the task is known")
	assert.Equal(t, "work", read(t, nil, work, ""))
}

func TestNoResultFileIsNoErrorAndWritesNothing(t *testing.T) {
	t.Parallel()
	records, work := folder(t), folder(t)
	for _, dirs := range [][2]*beneath.Dir{{records, work}, {nil, nil}} {
		_, _, found, err := outcome.ReadResult(dirs[0], dirs[1], "tsk_1")
		require.NoError(t, err)
		assert.False(t, found)
	}
	assert.Empty(t, names(t, records))
	assert.Empty(t, names(t, work))
}

func TestAResultThatIsNotUTF8IsHandedOverAndNotDropped(t *testing.T) {
	t.Parallel()
	work := folder(t)
	put(t, work, "out/result.txt", "caf\xe9 ANSWER")
	assert.Equal(t, "caf\uFFFD ANSWER", read(t, nil, work, ""))
}

func TestAnEmptyResultFileIsFound(t *testing.T) {
	t.Parallel()
	work := folder(t)
	put(t, work, "out/result.txt", "")
	assert.Empty(t, read(t, nil, work, ""))
}

func TestALinkIsNotAResultAndTheNextPlaceIsTried(t *testing.T) {
	t.Parallel()
	records, work, outside := folder(t), folder(t), folder(t)
	put(t, outside, "secret", "a secret")
	require.NoError(t, os.Mkdir(filepath.Join(records.Name(), "out"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(outside.Name(), "secret"), filepath.Join(records.Name(), "out/result.txt")))
	_, _, found, err := outcome.ReadResult(records, work, "")
	assert.False(t, found)
	require.ErrorIs(t, err, beneath.ErrLink)

	put(t, work, "out/result.txt", "an answer")
	assert.Equal(t, "an answer", read(t, records, work, ""))
}

func TestAResultThatIsAPipeOrAFolderIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	work := folder(t)
	require.NoError(t, os.Mkdir(filepath.Join(work.Name(), "out"), 0o700))
	require.NoError(t, unix.Mkfifo(filepath.Join(work.Name(), "out/result.txt"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(work.Name(), "out/result_tsk_1.txt"), 0o700))
	_, _, found, err := outcome.ReadResult(nil, work, "tsk_1")
	assert.False(t, found)
	assert.ErrorIs(t, err, beneath.ErrNotRegular)
}

func TestAResultThatIsTooLargeIsNotReplacedByAnOlderOne(t *testing.T) {
	t.Parallel()
	work := folder(t)
	put(t, work, "out/result.txt", "an older answer")
	put(t, work, "out/result_tsk_1.txt", "")
	require.NoError(t, os.Truncate(filepath.Join(work.Name(), "out/result_tsk_1.txt"), 64<<20+1))
	_, _, found, err := outcome.ReadResult(nil, work, "tsk_1")
	assert.False(t, found)
	assert.ErrorIs(t, err, beneath.ErrTooLarge)
}
