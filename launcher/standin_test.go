package launcher_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	workerv1 "rookery/proto/rookery/worker/v1"
)

// get asks a door once, on a connection of its own.
func get(t *testing.T, url string) (status int, body string, header http.Header, err error) {
	t.Helper()
	client := http.Client{Timeout: bound, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post(url, "application/json", strings.NewReader(`{"method":"SendMessage"}`))
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text), response.Header, nil
}

func TestADoorIsAnsweredByItsWorkerThenByTheStandInThenByNobody(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.exec(t, spec(t, "door"))
	// Known and reachable before anything runs: the kernel lets clients wait.
	early, err := net.DialTimeout("tcp", strings.TrimPrefix(w.URL(), "http://"), bound)
	require.NoError(t, err)
	defer early.Close()
	require.NoError(t, early.SetDeadline(time.Now().Add(bound)))
	_, err = io.WriteString(early, "GET / HTTP/1.0\r\n\r\n")
	require.NoError(t, err)

	require.NoError(t, w.OpenGate())
	_, err = w.Connect(context.Background())
	require.NoError(t, err)
	require.Error(t, w.StandIn(), "the worker lives")
	assign(t, w, "block") // and serves; it also makes the shared socket blocking
	response, err := http.ReadResponse(bufio.NewReader(early), nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	status, body, _, err := get(t, w.URL())
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "the worker's", body)

	require.NoError(t, w.Stop(context.Background(), nil, 0))
	waiting, err := net.DialTimeout("tcp", strings.TrimPrefix(w.URL(), "http://"), bound)
	require.NoError(t, err, "the supervisor keeps the port")
	defer waiting.Close()
	require.NoError(t, waiting.SetDeadline(time.Now().Add(bound)))
	_, err = io.WriteString(waiting, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)

	require.NoError(t, w.StandIn())
	require.NoError(t, w.StandIn(), "once more is as good as once")
	answer, err := io.ReadAll(waiting)
	require.NoError(t, err, "the stand-in closes the connection")
	assert.True(t, strings.HasPrefix(string(answer), "HTTP/1.1 503 "), "%s", answer)
	assert.Contains(t, string(answer), "\r\nConnection: close\r\n")
	status, body, header, err := get(t, w.URL())
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.JSONEq(t, `{"error":"unavailable","message":"the capsule's process has ended"}`, body)
	assert.Equal(t, "application/json", header.Get("Content-Type"))

	w.CloseDoor()
	w.CloseDoor()
	require.Error(t, w.StandIn(), "the door is closed")
	_, _, _, err = get(t, w.URL())
	require.Error(t, err)
}

func TestADoorClosesWithoutAStandInToo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.run(t, "door")
	require.NoError(t, w.Stop(context.Background(), &workerv1.EndRequest{}, bound))
	w.CloseDoor()
	_, _, _, err := get(t, w.URL())
	require.Error(t, err)
}

func TestAClientThatSendsNothingDoesNotKeepTheDoorOpen(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.exec(t, spec(t, ""))
	require.NoError(t, w.Stop(context.Background(), nil, 0))
	require.NoError(t, w.StandIn())
	idle, err := net.Dial("tcp", strings.TrimPrefix(w.URL(), "http://"))
	require.NoError(t, err)
	defer idle.Close()
	closed := make(chan struct{})
	go func() { w.CloseDoor(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(bound):
		require.Fail(t, "the door does not close")
	}
}
