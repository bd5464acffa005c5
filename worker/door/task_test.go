package door_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/internal/live"
)

// call makes one request with these parameters.
func (r *rig) call(method, params string) string {
	r.t.Helper()
	_, body := r.request("POST", "/", rpcHeader(), `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	return body
}

// message is the parameters of a message with these further fields.
func message(more string) string {
	return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"t"}]` + more + `}}`
}

// asks lets the task ask until the test ends, and returns where its answer comes.
func (r *rig) asks(prompt string) <-chan live.Message {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	answered, done := make(chan live.Message, 1), make(chan struct{})
	go func() {
		defer close(done)
		if m, err := r.task.Ask(ctx, prompt, nil); err == nil {
			answered <- m
		}
	}()
	r.t.Cleanup(func() { cancel(); <-done })
	require.Eventually(r.t, func() bool { return r.task.Now().State == live.InputRequired }, patience, time.Millisecond)
	return answered
}

const (
	ok    = `{"jsonrpc":"2.0","id":1,"result":`
	fails = `{"jsonrpc":"2.0","id":1,"error":`
)

func explained(code int, text, reason, metadata string) string {
	return fmt.Sprintf(`%s{"code":%d,"message":"%s","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"%s",`+
		`"domain":"a2a-protocol.org","metadata":{%s}}]}}`, fails, code, text, reason, metadata)
}

func TestTheTaskIsShownAsItIs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	assert.Equal(t, ok+`{"id":"tsk_1","contextId":"ctx_1","status":{"state":"TASK_STATE_WORKING"}}}`, r.call("GetTask", `{"id":"tsk_1"}`))
	r.task.Say("half of it")
	status := func(state, said string) string {
		return `"status":{"state":"` + state + `","message":{"messageId":"msg_tsk_1_status","role":"ROLE_AGENT","taskId":"tsk_1",` +
			`"contextId":"ctx_1","parts":[{"text":"` + said + `","mediaType":"text/plain"}]}}`
	}
	assert.Equal(t, ok+`{"id":"tsk_1","contextId":"ctx_1",`+status("TASK_STATE_WORKING", "half of it")+`}}`, r.call("GetTask", `{"id":"tsk_1","historyLength":4}`))
	r.asks("which one?")
	assert.Equal(t, ok+`{"id":"tsk_1","contextId":"ctx_1",`+status("TASK_STATE_INPUT_REQUIRED", "which one?")+
		`,"artifacts":[{"artifactId":"prompt","name":"prompt","parts":[{"text":"which one?","mediaType":"text/plain"}]}]}}`, r.call("GetTask", `{"id":"tsk_1"}`))
	r.task.End(live.Rejected, "no")
	assert.Equal(t, ok+`{"id":"tsk_1","contextId":"ctx_1",`+status("TASK_STATE_REJECTED", "no")+`}}`, r.call("GetTask", `{"id":"tsk_1"}`))
}

func TestTasksThatAreNotThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	unknown := func(id string) string {
		return explained(-32001, "Task not found", "TASK_NOT_FOUND", `"taskId":"`+id+`"`)
	}
	assert.Equal(t, unknown("tsk_2"), r.call("GetTask", `{"id":"tsk_2"}`))
	assert.Equal(t, unknown("tsk_2"), r.call("SendMessage", message(`,"taskId":"tsk_2"`)))
	for params, why := range map[string]string{
		`{}`: "params.id must not be empty", `{"id":7}`: "params.id must be a string", `{"id":null}`: "params.id must be a string",
		`[]`: "params must be an object", `null`: "params must be an object", `{"Id":"tsk_1"}`: "params.id must not be empty",
	} {
		assert.Equal(t, fails+`{"code":-32602,"message":"Invalid params: `+why+`"}}`, r.call("GetTask", params))
	}
}

func TestANewTaskIsRejectedInTheWordsThatCallersCompare(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	said := r.call("SendMessage", message(`,"contextId":"ctx_mine"`))
	assert.Contains(t, said, `"status":{"state":"TASK_STATE_REJECTED","message":{`)
	assert.Contains(t, said, `"text":"task rejected: capsule is busy"`)
	assert.Contains(t, said, `{"task":{"id":"tsk_`)
	assert.Contains(t, said, `"contextId":"ctx_mine"`)
	assert.Regexp(t, `"contextId":"ctx_[0-9a-f]{32}"`, r.call("SendMessage", message(`,"taskId":""`)))
	r.task.End(live.Completed, "")
	assert.Contains(t, r.call("SendMessage", message("")), `"text":"task rejected: the session is closing"`)
}

func TestAMessageReachesATaskOnlyWhileItRequiresInput(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	refused := func(state string) string {
		return explained(-32004, "the task is "+state+": it takes a message only while input is required", "UNSUPPORTED_OPERATION",
			`"state":"`+state+`","taskId":"tsk_1"`)
	}
	named := message(`,"taskId":"tsk_1","contextId":"ctx_1"`)
	assert.Equal(t, refused("working"), r.call("SendMessage", named))

	answered := r.asks("which one?")
	assert.Equal(t, fails+`{"code":-32602,"message":"Invalid params: message.contextId is not the task's"}}`,
		r.call("SendMessage", message(`,"taskId":"tsk_1","contextId":"ctx_2"`)))
	assert.Equal(t, ok+`{"task":{"id":"tsk_1","contextId":"ctx_1","status":{"state":"TASK_STATE_WORKING"}}}}`, r.call("SendMessage", named))
	assert.Equal(t, "t", (<-answered).Text())
	assert.Equal(t, refused("working"), r.call("SendMessage", named), "one message for each question")

	r.task.End(live.Failed, "exit 3")
	assert.Equal(t, refused("failed"), r.call("SendMessage", named))
}

func TestAMessageIsReadAsACallerMeansIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	answered := r.asks("p")
	said := r.call("SendMessage", `{"message":{"messageId":"m7","role":"ROLE_USER","taskId":"tsk_1","extra":1,"referenceTaskIds":["a","a"],"parts":[`+
		`{"text":"see","mediaType":"text/plain","metadata":{}},{"data":null,"filename":"f.json"}]},"configuration":{"blocking":true}}`)
	assert.Contains(t, said, `"TASK_STATE_WORKING"`)
	m := <-answered
	assert.Equal(t, "m7", m.ID)
	assert.Equal(t, "see\n```data filename=f.json\nnull\n```", m.Text())
}

func TestMessagesThatAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	part := func(p string) string {
		return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[` + p + `]}}`
	}
	many := strings.Repeat(`"x",`, 3)
	for i := range 17 {
		many += fmt.Sprintf(`"t%d",`, i)
	}
	for name, c := range map[string]struct{ params, want string }{
		"no message":                  {`{}`, "message must be an object"},
		"a message that is null":      {`{"message":null}`, "message must be an object"},
		"no message id":               {`{"message":{"role":"ROLE_USER","parts":[{"text":"t"}]}}`, "message.messageId must not be empty"},
		"a message id that is none":   {`{"message":{"messageId":7}}`, "message.messageId must be a string"},
		"another role":                {`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"t"}]}}`, "message.role must be ROLE_USER"},
		"no role":                     {`{"message":{"messageId":"m","parts":[{"text":"t"}]}}`, "message.role must be ROLE_USER"},
		"no parts":                    {`{"message":{"messageId":"m","role":"ROLE_USER"}}`, "message.parts must be a list that is not empty"},
		"an empty list of parts":      {part(``), "message.parts must be a list that is not empty"},
		"a part that is no object":    {part(`"t"`), "message.parts[0] must be an object"},
		"a part of nothing":           {part(`{}`), "message.parts[0] must set exactly one of text, raw, url and data"},
		"a part of two kinds":         {part(`{"text":"t","data":null}`), "message.parts[0] must set exactly one of text, raw, url and data"},
		"a text that is null":         {part(`{"text":"t"},{"text":null}`), "message.parts[1].text must be a string"},
		"a url that is none":          {part(`{"url":7}`), "message.parts[0].url must be a string"},
		"a media type that is none":   {part(`{"text":"t","mediaType":7}`), "message.parts[0].mediaType must be a string"},
		"a task id that is none":      {message(`,"taskId":7`), "message.taskId must be a string"},
		"a context id that is null":   {message(`,"contextId":null`), "message.contextId must be a string"},
		"references that are no list": {message(`,"referenceTaskIds":"a"`), "message.referenceTaskIds must be a list"},
		"an empty reference":          {message(`,"referenceTaskIds":[""]`), "message.referenceTaskIds must hold strings that are not empty"},
		"too many references":         {message(`,"referenceTaskIds":[` + many + `"y"]`), "message.referenceTaskIds holds more than 16 tasks"},
		"a message over its limit":    {part(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`), "message has 1048634 bytes, more than 1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, fails+`{"code":-32602,"message":"Invalid params: `+c.want+`"}}`, (&rig{t: t, url: r.url}).call("SendMessage", c.params))
		})
	}
}

func TestPartsOfKindsThatAreNotTakenAreRefusedAfterEverythingElse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	parts := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"t"},{"url":"http://x","mediaType":"image/png"},{"raw":"AA=="}]%s}}`
	assert.Equal(t, explained(-32005, "this door takes parts of text and data", "CONTENT_TYPE_NOT_SUPPORTED", `"mediaType":"image/png","partIndex":"1"`),
		r.call("SendMessage", fmt.Sprintf(parts, "")))
	assert.Contains(t, r.call("SendMessage", fmt.Sprintf(parts, `,"taskId":7`)), "message.taskId must be a string")
}
