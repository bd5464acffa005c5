package redact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/redact"
)

type vector struct{ Text, Want string }

func vectors(tb testing.TB) []vector {
	tb.Helper()
	data, err := os.ReadFile("testdata/redaction.json")
	require.NoError(tb, err)
	var file struct{ Cases []vector }
	require.NoError(tb, json.Unmarshal(data, &file))
	require.NotEmpty(tb, file.Cases)
	return file.Cases
}

func TestRedactionAgreesWithTheVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		assert.Equal(t, v.Want, redact.Text(v.Text))
	}
}

func TestAHandleIsFoundAfterOneThatIsBroken(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "mh1..mh1.a <handle:"+redact.HandleID("mh1.a.b")+">", redact.Text("mh1..mh1.a mh1.a.b"))
	assert.Equal(t, "mh<handle:"+redact.HandleID("mh1.a.b")+">", redact.Text("mhmh1.a.b"))
}

func TestAHandleIDIsSixteenLowerCaseHexDigits(t *testing.T) {
	t.Parallel()
	assert.Regexp(t, "^[0-9a-f]{16}$", redact.HandleID("mh1.a.b"))
	assert.Equal(t, "d4abfe2e7b6c606d", redact.HandleID("mh1.abc.def"))
}

func TestStringsAreRedactedAtAnyDepthOfAJSONValue(t *testing.T) {
	t.Parallel()
	shown := "<handle:d4abfe2e7b6c606d>"
	in := map[string]any{"a": []any{"see mh1.abc.def", 1.5, nil, true}, "mh1.abc.def": map[string]any{"b": "mh1.abc.def"}}
	want := map[string]any{"a": []any{"see " + shown, 1.5, nil, true}, shown: map[string]any{"b": shown}}
	assert.Equal(t, want, redact.JSON(in))
	assert.Contains(t, in, "mh1.abc.def", "the value given is not changed")
}

func TestAWriterRedactsAndReportsTheLengthItWasGiven(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	line := `{"message":"got mh1.abc.def."}` + "\n"
	n, err := redact.Writer(&out).Write([]byte(line))
	require.NoError(t, err)
	assert.Equal(t, len(line), n)
	want := `{"message":"got <handle:d4abfe2e7b6c606d>."}` + "\n"
	assert.Equal(t, want, out.String())
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestAWriterPassesOnAFailure(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	_, err := redact.Writer(broken{full}).Write([]byte("x"))
	assert.ErrorIs(t, err, full)
}

var handle = regexp.MustCompile(`mh1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`)

func FuzzTextAgreesWithTheGrammarOfAHandle(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := handle.ReplaceAllStringFunc(text, func(found string) string { return "<handle:" + redact.HandleID(found) + ">" })
		assert.Equal(t, want, redact.Text(text))
		assert.Equal(t, want, redact.JSON(text))
	})
}
