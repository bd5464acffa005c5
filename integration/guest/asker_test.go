package guest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

const asker = "integration/testdata/capsules/asker"

// ask is one call of the capsule asker.
type ask struct {
	Op      string          `json:"op"`
	Request json.RawMessage `json:"request"`
	Pad     int             `json:"pad,omitempty"`
	Until   string          `json:"until,omitempty"`
}

// call is a call; the request is JSON.
func call(op, request string) ask { return ask{Op: op, Request: json.RawMessage(request)} }

// delegate is a call that starts a capsule.
func delegate(capsule, more string) ask {
	return call("delegate", `{"capsule":"`+capsule+`","version":"0.1.0"`+more+`}`)
}

// text is a task of the capsule asker.
func text(asks ...ask) string {
	out, err := json.Marshal(asks)
	if err != nil {
		panic(err) // a request of a test that is no JSON
	}
	return string(out)
}

// quoted is a text as JSON.
func quoted(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(out)
}

// responses are what a session of asker was answered.
func responses(t *testing.T, h *rig.Host, s *operatorv1.Session) []string {
	t.Helper()
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(h.Answer(s.GetRecordsDir())), &raw))
	all := make([]string, len(raw))
	for i, r := range raw {
		all[i] = string(r)
	}
	return all
}

// ran lives a root of asker to its end and returns what it was answered.
func ran(t *testing.T, fleet rig.Fleet, root rig.Root) []string {
	t.Helper()
	fleet.Capsules = []rig.Root{root}
	h := rig.Up(t, fleet)
	s := h.RootEnded(root.Name, rig.Soon)
	require.Equal(t, "ok", s.GetStatus(), "%s\n%s", s.GetDetail(), h.Log())
	return responses(t, h, s)
}

// code is the code of a response, empty for one that is ok.
func code(response string) string {
	var r struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(response), &r) != nil {
		return "no JSON: " + strings.TrimSpace(response)
	}
	return r.Error.Code
}
