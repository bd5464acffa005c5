package fence_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/fence"
)

type vector struct{ Source, Text, Want string }

func vectors(tb testing.TB) []vector {
	tb.Helper()
	data, err := os.ReadFile("testdata/fence.json")
	require.NoError(tb, err)
	var file struct{ Cases []vector }
	require.NoError(tb, json.Unmarshal(data, &file))
	require.NotEmpty(tb, file.Cases)
	return file.Cases
}

func TestTheFenceAgreesWithTheVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		assert.Equal(t, v.Want, fence.Wrap(v.Source, v.Text))
	}
}

func TestTextWithoutMarkersIsUnchanged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<", "</", "<untrusted-conten", "a < b", "<unſtrusted-content>", "<untruſted-content>", "\xff<"} {
		assert.Equal(t, text, fence.Neutralise(text))
	}
}

func TestADelegationIsFencedUnderItsCapsule(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "delegation:worker", fence.DelegationSource("worker"))
}

// markers counts what a reader of the fence would take for one of its ends.
func markers(text string) (opening, closing int) {
	lower := strings.ToLower(text)
	return strings.Count(lower, "<untrusted-content"), strings.Count(lower, "</untrusted-content")
}

func FuzzAFencedTextHasOneOpeningAndOneClosingMarker(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Source, v.Text)
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		wrapped := fence.Wrap(source, text)
		opening, closing := markers(wrapped)
		assert.Equal(t, 1, opening)
		assert.Equal(t, 1, closing)
		first, _, _ := strings.Cut(wrapped, "\n")
		assert.True(t, strings.HasSuffix(first, ">") && strings.Count(first, ">") == 1, "%q", first)

		neutral := fence.Neutralise(text)
		assert.Equal(t, neutral, fence.Neutralise(neutral), "neutralising twice changes nothing more")
		const inserted = "!MURMUR-NEUTRALISED!"
		if !strings.Contains(text, inserted) {
			assert.Equal(t, text, strings.ReplaceAll(neutral, inserted, ""), "nothing but insertions")
		}
	})
}
