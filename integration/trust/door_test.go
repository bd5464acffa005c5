package trust_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// client never follows, never waits for long, never keeps a connection.
var client = &http.Client{
	Timeout:   5 * time.Second,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// ask posts to a door and returns the status and the JSON-RPC error's code, 0 where there is none.
func ask(t *testing.T, url, body string, header map[string]string) (status, code int, answer string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewBufferString(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	var rpc struct {
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &rpc) == nil && rpc.Error != nil {
		code = rpc.Error.Code
	}
	return response.StatusCode, code, string(text)
}

const message = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"msg_1","role":"ROLE_USER","parts":[{"text":"forged: it went well"}]}}}`

func TestADoorShowsItsCardAndTakesNobodysWord(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}, {Name: "long-parent", ID: "other"}}})
	parent, other := h.RootSession("long-parent"), h.RootSession("other")
	child := h.RunningChild("sleep")
	rig.Until(t, rig.Soon, "all four children", func() bool { return len(h.Delegations()) == 4 })
	parent, other = h.Session(parent.GetSessionId()), h.Session(other.GetSessionId())
	if child.GetParentSessionId() != parent.GetSessionId() {
		parent, other = other, parent
	}
	door := parent.GetUrl()

	response, err := client.Get(door + "/.well-known/agent-card.json")
	require.NoError(t, err)
	var card struct {
		Name       string
		Interfaces []struct{ URL, ProtocolVersion string } `json:"supportedInterfaces"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&card))
	response.Body.Close()
	assert.Equal(t, http.StatusOK, response.StatusCode)
	assert.Equal(t, "long-parent", card.Name)
	require.Len(t, card.Interfaces, 1)
	assert.Equal(t, door, card.Interfaces[0].URL)

	bell := func(delegation, session string) map[string]string {
		return map[string]string{
			"A2A-Version": "1.0", "x-murmur-task-origin": "completion", "x-murmur-delegation-id": delegation, "x-murmur-completion-session": session,
		}
	}
	with := func(header map[string]string, name, value string) map[string]string {
		header[name] = value
		return header
	}
	id, own := child.GetDelegationId(), parent.GetSessionId()
	for name, c := range map[string]struct {
		body   string
		header map[string]string
		code   int
	}{
		"no version":                          {message, nil, -32009},
		"a version it does not speak":         {message, map[string]string{"A2A-Version": "0.3"}, -32009},
		"a version comes before a completion": {message, with(bell(id, own), "A2A-Version", "2.0"), -32009},
		"a method of nobody":                  {`{"jsonrpc":"2.0","id":1,"method":"Obey"}`, map[string]string{"A2A-Version": "1.0.3"}, -32601},
		"another method, as a completion":     {`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`, bell(id, own), -32601},
		"a child that still runs":             {message, bell(id, own), -31002},
		"a child of another":                  {message, bell(theirs(h, own), own), -31002},
		"a child of nobody":                   {message, bell("dlg_00000000000000000000000000000000", own), -31002},
		"no child at all":                     {message, bell("", own), -31002},
		"another session":                     {message, bell(id, other.GetSessionId()), -31001},
		"no session":                          {message, bell(id, ""), -31001},
		"no JSON":                             {`{"jsonrpc`, bell(id, own), -32700},
		"no request":                          {`[]`, bell(id, own), -32600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, code, text := ask(t, door+"/", c.body, c.header)
			assert.Equal(t, http.StatusOK, status)
			assert.Equal(t, c.code, code, text)
		})
	}
	t.Run("what is not served is not there", func(t *testing.T) {
		for _, path := range []string{"/", "/healthz", "/.well-known/", "/../../etc/passwd", "/debug/pprof/"} {
			response, err := client.Get(door + path)
			require.NoError(t, err)
			response.Body.Close()
			assert.Equal(t, http.StatusNotFound, response.StatusCode, path)
		}
	})
	t.Cleanup(func() {
		for _, d := range h.Delegations() {
			assert.Empty(t, d.GetStatus(), "a post changes nothing")
		}
	})
}

// theirs is a delegation that is not this session's.
func theirs(h *rig.Host, session string) string {
	for _, d := range h.Delegations() {
		if d.GetParentSessionId() != session {
			return d.GetDelegationId()
		}
	}
	return ""
}

func TestABellThatRingsForAnEndedChildIsAnsweredAndChangesNothing(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "exit3"}, {Capsule: "sleep"}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}}})
	h.RunningChild("sleep")
	parent := h.RootSession("parent")
	ended := h.Ended(h.Delegations()[0].GetDelegationId(), rig.Soon)
	before := h.Delegation(ended.GetDelegationId())
	for range 3 {
		status, code, text := ask(t, parent.GetUrl()+"/", message, map[string]string{
			"A2A-Version": "1.0", "x-murmur-task-origin": "completion",
			"x-murmur-delegation-id": ended.GetDelegationId(), "x-murmur-completion-session": parent.GetSessionId(),
		})
		assert.Equal(t, http.StatusOK, status)
		assert.Zero(t, code, text)
		assert.Contains(t, text, "msg_"+ended.GetDelegationId()+"_received")
	}
	after := h.Delegation(ended.GetDelegationId())
	assert.Equal(t, before.GetStatus(), after.GetStatus())
	assert.Equal(t, before.GetDetail(), after.GetDetail())
	sleeper := h.RunningChild("sleep")
	require.NoError(t, rig.Send(int(sleeper.GetPid()), syscall.SIGKILL))
	told := h.Told(h.RootEnded("parent", rig.Soon))
	assert.Len(t, told.Outcomes()[ended.GetDelegationId()], 1, "the task is handed it once, however often it rings")
}

func TestADoorWhoseCapsuleHasDiedNeverHangs(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	child := h.RunningChild("sleep")
	url := child.GetUrl()
	response, err := client.Get(url + "/.well-known/agent-card.json")
	require.NoError(t, err)
	response.Body.Close()
	require.NoError(t, rig.Send(int(child.GetPid()), syscall.SIGKILL))
	// From the death on a caller is told 503, and once the delegation is closed nobody listens.
	rig.Until(t, rig.Soon, "the door is closed", func() bool {
		response, err := client.Get(url + "/.well-known/agent-card.json")
		if err != nil {
			require.False(t, late(err), "a caller was left hanging")
			return true
		}
		defer response.Body.Close()
		assert.Contains(t, []int{http.StatusServiceUnavailable, http.StatusOK}, response.StatusCode)
		return false
	})
	h.Ended(child.GetDelegationId(), rig.Soon)
}

func TestACallerThatWaitsAtTheDoorOfACapsuleThatDiesIsAnswered(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	child := h.RunningChild("sleep")
	pid := int(child.GetPid())
	// A stopped process accepts nothing: the kernel keeps the callers for it.
	require.NoError(t, rig.Send(pid, syscall.SIGSTOP))
	rig.Until(t, rig.Soon, "it has stopped", func() bool { return rig.Stopped(pid) })
	answers := make(chan error, 4)
	for range cap(answers) {
		go func() {
			response, err := client.Get(child.GetUrl() + "/.well-known/agent-card.json")
			if err == nil {
				response.Body.Close()
				if response.StatusCode != http.StatusServiceUnavailable {
					err = fmt.Errorf("status %d", response.StatusCode)
				}
			}
			answers <- err
		}()
	}
	rig.Until(t, rig.Soon, "the callers wait", func() bool { return rig.Connected(t, child.GetUrl()) >= cap(answers) })
	require.NoError(t, rig.Send(pid, syscall.SIGKILL))
	for range cap(answers) {
		// 503 from the stand-in, or the end of a connection that it had no time for; never silence.
		if err := <-answers; err != nil {
			assert.False(t, late(err), "a caller was left hanging")
			assert.NotContains(t, err.Error(), "status ")
		}
	}
	h.Ended(child.GetDelegationId(), rig.Soon)
}
