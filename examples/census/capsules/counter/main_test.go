package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheAnswerIsAReportOfTheTasksFiles(t *testing.T) {
	t.Parallel()
	got, err := answer(`{"files": [{"path": "a.md", "text": "a\n\n"}, {"path": "b.md", "text": "b"}]}`)
	require.NoError(t, err)
	assert.JSONEq(t, `{"Markdown": {"files": 2, "lines": 3, "code": 2, "comment": 0, "blank": 1}}`, got)
}

func TestATaskThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	_, err := answer("hello")
	require.ErrorContains(t, err, "task: invalid character")
}
