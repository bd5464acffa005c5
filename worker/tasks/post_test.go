package tasks_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
)

const taken = `{"jsonrpc":"2.0","id":"x","result":{"message":{"messageId":"msg_dlg_1_received","role":"ROLE_AGENT","parts":[]}}}`

// parent is the door of a parent; it answers with a status and a body.
func parent(t *testing.T, status int, body string, look func(r *http.Request, body string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		if look != nil {
			look(r, string(data))
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var minted = regexp.MustCompile(`(req|msg)_[0-9a-f]{32}`)

// lasted is what differs from run to run in the text.
var lasted = regexp.MustCompile(`duration_ms: \d+`)

func TestACompletionIsOnDiskBeforeItIsPostedAsAnA2AMessage(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good))
	posts, posted := 0, ""
	r.delegated(parent(t, http.StatusOK, taken, func(request *http.Request, body string) {
		posts++
		record := r.completion()
		assert.Equal(t, outcome.OK, record.Status)
		assert.False(t, record.Delivered)
		assert.Equal(t, "POST", request.Method)
		for name, want := range map[string]string{
			"A2A-Version": "1.0", "Content-Type": "application/json", "X-Murmur-Task-Origin": "completion",
			"X-Murmur-Delegation-Id": "dlg_1", "X-Murmur-Completion-Session": "ses_0",
		} {
			assert.Equal(t, []string{want}, request.Header.Values(name), name)
		}
		posted = body
	}))
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, 1, posts)
	want, err := os.ReadFile(filepath.Join("testdata", "completion_post.json"))
	require.NoError(t, err)
	stable := lasted.ReplaceAllString(minted.ReplaceAllString(posted, "${1}_x"), "duration_ms: 0")
	indented, err := json.MarshalIndent(json.RawMessage(stable), "", "  ")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(indented)+"\n")
	assert.Equal(t, outcome.Record{
		DelegationID: "dlg_1", CapsuleName: "local/census", CapsuleVersion: "0.1.0", SessionID: "ses_1", Status: outcome.OK,
		Workdir: "/state/work", ReportedBy: outcome.Child, Delivered: true,
	}, r.completion())
}

func TestADeliveryThatFailsIsRecordedAndFailsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"a refusal":                {200, `{"jsonrpc":"2.0","id":"x","error":{"code":-31002,"message":"nobody waits"}}`, "nobody waits"},
		"a refusal without words":  {200, `{"jsonrpc":"2.0","id":"x","error":{"code":-31002}}`, "the parent refused the completion"},
		"a parent that is gone":    {503, `{"error":"gone"}`, "the parent's door answered with status 503"},
		"something else's answer":  {200, `<html>`, "the parent's door gave no JSON-RPC answer"},
		"an answer without result": {200, `{}`, "the parent's door gave no JSON-RPC answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, code(good))
			r.delegated(parent(t, c.status, c.body, nil))
			assert.Equal(t, plugin.ExitDone, r.run())
			assert.Equal(t, outcome.OK, r.completion().Status)
			assert.False(t, r.completion().Delivered)
			assert.Equal(t, c.want, r.completion().DeliveryError)
		})
	}
}

func TestADoorThatIsNotThereIsRecordedWithThoseWords(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	r := newRig(t, code(good)).delegated("http://" + listener.Addr().String())
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.OK, r.completion().Status)
	assert.Contains(t, r.completion().DeliveryError, "failed to connect")
}

func TestAChildOfACallerThatWaitsRingsNoDoor(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good)).delegated("")
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.False(t, r.completion().Delivered)
	assert.Empty(t, r.completion().DeliveryError)
}
