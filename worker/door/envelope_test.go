package door

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzOpen holds the envelope to its promise: whatever the body, there is an id to
// answer under that is a string, an integer or null, and a fault or a method.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`, `{"jsonrpc":"2.0","id":"a\ud800","method":""}`, `[]`, `{"id":-0}`, `{"id":01}`, "\ufeff{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, fault := open(body)
		out, err := json.Marshal(answer{JSONRPC: "2.0", ID: e.ID, Error: fault, Result: "x"})
		require.NoError(t, err)
		var back struct {
			ID any `json:"id"`
		}
		require.NoError(t, json.Unmarshal(out, &back))
		switch back.ID.(type) {
		case nil:
			assert.NotNil(t, fault)
		case string, float64:
		default:
			assert.Fail(t, "an id that is none", "%T", back.ID)
		}
	})
}
