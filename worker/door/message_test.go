package door

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzReadMessage holds a message that is taken to what the task will rely on.
func FuzzReadMessage(f *testing.F) {
	for _, seed := range []string{
		`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"t"}],"taskId":"tsk_1","referenceTaskIds":["a"]}}`,
		`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"a":[1]},"mediaType":"x"},{"url":"u"}]}}`,
		`{"message":{"parts":[null]}}`, `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !utf8.Valid(body) || !json.Valid(body) {
			return // the envelope has refused it
		}
		params, ok := readObject(body)
		if !ok {
			return
		}
		m, fault := readMessage(params)
		if fault != nil {
			assert.Contains(t, []int{-32602, -32005}, fault.Code)
			return
		}
		assert.NotEmpty(t, m.ID)
		require.NotEmpty(t, m.Parts)
		for _, p := range m.Parts {
			assert.NotEqual(t, p.Text == nil, p.Data == nil, "exactly one")
		}
		assert.True(t, utf8.ValidString(m.Text()))
	})
}
