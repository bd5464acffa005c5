package door_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/door"
	"rookery/worker/hostlink"
	"rookery/worker/internal/hosttest"
	"rookery/worker/internal/live"
)

// patience bounds every wait of these tests; none needs it.
const patience = 10 * time.Second

// rig is a served door and the supervisor behind it.
type rig struct {
	t    *testing.T
	url  string
	host *hosttest.Host
	task *live.Task
}

func newRig(t *testing.T) *rig {
	t.Helper()
	host := hosttest.Start(t, hosttest.Answers{Resolve: func(id string) (hostv1.CompletionVerdict, error) {
		switch id {
		case "dlg_ours":
			return hostv1.CompletionVerdict_COMPLETION_VERDICT_RECORDED, nil
		case "dlg_broken":
			return 0, status.Error(codes.Internal, "broken")
		}
		return hostv1.CompletionVerdict_COMPLETION_VERDICT_NOT_AWAITED, nil
	}})
	ctx, cancel := context.WithCancel(context.Background())
	log := zerolog.New(zerolog.NewTestWriter(t))
	link, err := hostlink.Open(ctx, hostlink.Config{Path: host.Path, Log: log})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	task := live.New("tsk_1", "ctx_1")
	d, err := door.New(door.Config{
		Listener: listener,
		Card: door.Card{
			SessionID: "ses_1", Capsule: "census", Version: "0.1.0", URL: "http://127.0.0.1:7", Since: time.Unix(1_800_000_000, 0),
		},
		Task: task, Link: link, Log: log,
	})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- d.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-served)
		assert.NoError(t, link.Close(context.Background()))
	})
	return &rig{t: t, url: "http://" + listener.Addr().String(), host: host, task: task}
}

// reply is what a test looks at of an answer.
type reply struct {
	status int
	header http.Header
	closes bool
}

// request sends what is given and nothing else.
func (r *rig) request(method, path string, header http.Header, body string) (reply, string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, reader)
	require.NoError(r.t, err)
	request.Header = header
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(r.t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	return reply{response.StatusCode, response.Header, response.Close}, string(data)
}

func rpcHeader(more ...string) http.Header {
	header := http.Header{"Content-Type": {"application/json"}, "A2A-Version": {"1.0"}}
	for i := 0; i < len(more); i += 2 {
		header[more[i]] = append(header[more[i]], more[i+1])
	}
	return header
}

const send = `{"jsonrpc":"2.0","id":"req_1","method":"SendMessage","params":{}}`

func bell(session, delegation string) http.Header {
	return rpcHeader("x-murmur-task-origin", "completion",
		"x-murmur-completion-session", session, "x-murmur-delegation-id", delegation)
}

func without(header http.Header, name string) http.Header {
	delete(header, name)
	return header
}

func TestTheCardSaysWhatIsServedAndNoMore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	response, body := r.request("GET", "/.well-known/agent-card.json", http.Header{}, "")
	assert.Equal(t, http.StatusOK, response.status)
	assert.Equal(t, "application/json", response.header.Get("Content-Type"))
	assert.Equal(t, "no-cache", response.header.Get("Cache-Control"))
	assert.Equal(t, "Fri, 15 Jan 2027 08:00:00 GMT", response.header.Get("Last-Modified"))
	want, err := os.ReadFile(filepath.Join("testdata", "card.json"))
	require.NoError(t, err)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, []byte(body), "", "  "))
	assert.Equal(t, string(want), pretty.String()+"\n")

	etag := response.header.Get("ETag")
	require.NotEmpty(t, etag)
	response, body = r.request("GET", "/.well-known/agent-card.json", http.Header{"If-None-Match": {etag}}, "")
	assert.Equal(t, http.StatusNotModified, response.status)
	assert.Empty(t, body)
	response, body = r.request("HEAD", "/.well-known/agent-card.json", http.Header{}, "")
	assert.Equal(t, http.StatusOK, response.status)
	assert.Empty(t, body)
}

func TestWhatIsNotServedIsNotThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, c := range map[string]struct {
		method, path string
		header       http.Header
		body         string
	}{
		"the root by GET":          {"GET", "/", http.Header{}, ""},
		"another path":             {"POST", "/rpc", rpcHeader(), send},
		"a path that means /":      {"POST", "//", rpcHeader(), send},
		"the card by POST":         {"POST", "/.well-known/agent-card.json", rpcHeader(), send},
		"the card with a slash":    {"GET", "/.well-known/agent-card.json/", http.Header{}, ""},
		"OPTIONS":                  {"OPTIONS", "/", http.Header{}, ""},
		"a body without a type":    {"POST", "/", http.Header{"A2A-Version": {"1.0"}}, send},
		"a body of another type":   {"POST", "/", http.Header{"Content-Type": {"text/plain"}}, send},
		"no body":                  {"POST", "/", rpcHeader(), ""},
		"the resource plane":       {"GET", "/resources/files", http.Header{}, ""},
		"the health of the worker": {"GET", "/healthz", http.Header{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := (&rig{t: t, url: r.url}).request(c.method, c.path, c.header, c.body)
			assert.Equal(t, http.StatusNotFound, response.status)
			assert.Empty(t, body)
			assert.True(t, response.closes)
		})
	}
}

func TestABodyLargerThanTheLimitIsNotRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4194305\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	line := make([]byte, len("HTTP/1.1 413"))
	_, err = io.ReadFull(conn, line)
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 413", string(line))
}

func TestRPC(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, c := range map[string]struct {
		header http.Header
		body   string
		want   string
	}{
		"not JSON":                          {rpcHeader(), `{`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON payload"}}`},
		"two values":                        {rpcHeader(), send + send, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON payload"}}`},
		"bytes that are no text":            {rpcHeader(), "{\"jsonrpc\":\"\xff\"}", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON payload"}}`},
		"a batch":                           {rpcHeader(), `[` + send + `]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"null":                              {rpcHeader(), `null`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"no id":                             {rpcHeader(), `{"jsonrpc":"2.0","method":"GetTask"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"an id that is null":                {rpcHeader(), `{"jsonrpc":"2.0","id":null,"method":"GetTask"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"an id with a fraction":             {rpcHeader(), `{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"another JSON-RPC":                  {rpcHeader(), `{"jsonrpc":"1.0","id":1,"method":"GetTask"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"JSON-RPC in another letter case":   {rpcHeader(), `{"JSONRPC":"2.0","id":1,"method":"GetTask"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"a method that is no text":          {rpcHeader(), `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"a method that is null":             {rpcHeader(), `{"jsonrpc":"2.0","id":1,"method":null}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Request payload validation error"}}`},
		"a method not served":               {rpcHeader(), `{"jsonrpc":"2.0","id":-7,"method":"CancelTask"}`, `{"jsonrpc":"2.0","id":-7,"error":{"code":-32601,"message":"Method not found"}}`},
		"a message that is no completion":   {rpcHeader(), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32602,"message":"Invalid params: message must be an object"}}`},
		"an origin in another letter case":  {rpcHeader("x-murmur-task-origin", "Completion"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32602,"message":"Invalid params: message must be an object"}}`},
		"an origin twice":                   {rpcHeader("x-murmur-task-origin", "completion", "x-murmur-task-origin", "completion"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32602,"message":"Invalid params: message must be an object"}}`},
		"a type with a parameter":           {http.Header{"content-type": {"application/json; charset=utf-8"}, "a2a-version": {"1.0.7"}}, send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32602,"message":"Invalid params: message must be an object"}}`},
		"a version of 0.3":                  {http.Header{"Content-Type": {"application/json"}, "A2A-Version": {"0.3"}}, send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32009,"message":"this door speaks A2A 1.0","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"requestedVersion":"0.3","supportedVersions":"1.0"}}]}}`},
		"no version":                        {without(rpcHeader(), "A2A-Version"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32009,"message":"this door speaks A2A 1.0","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"requestedVersion":"","supportedVersions":"1.0"}}]}}`},
		"two versions":                      {rpcHeader("A2A-Version", "1.0"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32009,"message":"this door speaks A2A 1.0","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"requestedVersion":"1.0, 1.0","supportedVersions":"1.0"}}]}}`},
		"a version with a word":             {without(rpcHeader("a2a-version", "1.0.preview"), "A2A-Version"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32009,"message":"this door speaks A2A 1.0","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"requestedVersion":"1.0.preview","supportedVersions":"1.0"}}]}}`},
		"a completion without a version":    {without(bell("ses_1", "dlg_ours"), "A2A-Version"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32009,"message":"this door speaks A2A 1.0","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED","domain":"a2a-protocol.org","metadata":{"requestedVersion":"","supportedVersions":"1.0"}}]}}`},
		"a completion of ours":              {bell("ses_1", "dlg_ours"), send, `{"jsonrpc":"2.0","id":"req_1","result":{"message":{"messageId":"msg_dlg_ours_received","role":"ROLE_AGENT","contextId":"ctx_1","parts":[{"data":{"delegation_id":"dlg_ours","received":true},"mediaType":"application/json"}]}}}`},
		"a completion not awaited":          {bell("ses_1", "dlg_other"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-31002,"message":"delegation dlg_other is not awaited here","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"COMPLETION_NOT_AWAITED","domain":"murmur.nexus","metadata":{"delegationId":"dlg_other"}}]}}`},
		"a completion that names nothing":   {without(bell("ses_1", ""), "x-murmur-delegation-id"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-31002,"message":"delegation \u003cunnamed\u003e is not awaited here","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"COMPLETION_NOT_AWAITED","domain":"murmur.nexus","metadata":{"delegationId":""}}]}}`},
		"a completion for somebody else":    {bell("ses_9", "dlg_ours"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-31001,"message":"session ses_9 is not at this door","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"COMPLETION_MISADDRESSED","domain":"murmur.nexus","metadata":{"addressedSession":"ses_9"}}]}}`},
		"a completion for nobody":           {without(bell("", "dlg_ours"), "x-murmur-completion-session"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-31001,"message":"session \u003cunaddressed\u003e is not at this door","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"COMPLETION_MISADDRESSED","domain":"murmur.nexus","metadata":{"addressedSession":""}}]}}`},
		"a completion by another method":    {bell("ses_1", "dlg_ours"), `{"jsonrpc":"2.0","id":"req_1","method":"SendStreamingMessage"}`, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32601,"message":"Method not found"}}`},
		"a completion that is looked up":    {bell("ses_1", "dlg_broken"), send, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-32603,"message":"Internal error: no supervisor answers now"}}`},
		"a foreign method for another door": {bell("ses_9", "dlg_ours"), `{"jsonrpc":"2.0","id":"req_1","method":"GetTask"}`, `{"jsonrpc":"2.0","id":"req_1","error":{"code":-31001,"message":"session ses_9 is not at this door","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"COMPLETION_MISADDRESSED","domain":"murmur.nexus","metadata":{"addressedSession":"ses_9"}}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := (&rig{t: t, url: r.url}).request("POST", "/", c.header, c.body)
			assert.Equal(t, http.StatusOK, response.status)
			assert.Equal(t, "application/json", response.header.Get("Content-Type"))
			assert.Equal(t, c.want, body)
		})
	}
}

func TestACompletionWithoutASupervisorIsLeftToTheNextOne(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.host.Stop()
	_, body := r.request("POST", "/", bell("ses_1", "dlg_ours"), send)
	assert.Contains(t, body, `"code":-32603`)
	r.host.Start()
	require.Eventually(t, func() bool {
		_, body = r.request("POST", "/", bell("ses_1", "dlg_ours"), send)
		return strings.Contains(body, "msg_dlg_ours_received")
	}, patience, 5*time.Millisecond)
}

func TestWhoeverRingsWithoutEndLeavesTheSupervisorToTheCapsule(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	began, refused := time.Now(), 0
	for range 400 {
		_, body := r.request(http.MethodPost, "/", bell("ses_1", "dlg_foreign"), send)
		if strings.Contains(body, "-32603") {
			refused++
		}
	}
	// A hundred at once and fifty a second.
	asked := 400 - refused
	assert.GreaterOrEqual(t, asked, 100)
	assert.LessOrEqual(t, float64(asked), 101+50*time.Since(began).Seconds())
}
