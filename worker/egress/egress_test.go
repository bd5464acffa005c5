package egress_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/egress"
)

// listen serves one connection by hand and returns its URL.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		serve(conn)
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return "http://" + listener.Addr().String()
}

func TestPostSendsHeadersAsTheyAreSpelt(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	url := listen(t, func(conn net.Conn) {
		reader := bufio.NewReader(conn)
		var head strings.Builder
		for {
			line, err := reader.ReadString('\n')
			if err != nil || line == "\r\n" {
				break
			}
			head.WriteString(line)
		}
		body := make([]byte, 2)
		_, _ = io.ReadFull(reader, body)
		seen <- head.String() + string(body)
		_, _ = io.WriteString(conn, "HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\n\r\nfine")
	})
	got, err := egress.New().Post(t.Context(), url, map[string]string{"A2A-Version": "1.0", "x-murmur-task-origin": "completion"}, []byte("{}"))
	require.NoError(t, err)
	assert.Equal(t, egress.Response{Status: 202, Body: []byte("fine")}, got)
	request := <-seen
	assert.Contains(t, request, "A2A-Version: 1.0\r\n")
	assert.Contains(t, request, "x-murmur-task-origin: completion\r\n")
	assert.Contains(t, request, "Connection: close\r\n")
	assert.True(t, strings.HasSuffix(request, "{}"))
}

func TestAnUnreachableDoorSaysFailedToConnect(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, err = egress.New().Post(t.Context(), "http://"+address, nil, nil)
	assert.ErrorContains(t, err, "failed to connect")
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	var visits []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visits = append(visits, r.URL.Path)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	got, err := egress.New().Post(t.Context(), server.URL, nil, []byte("{}"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusTemporaryRedirect, got.Status)
	assert.Equal(t, []string{"/"}, visits)
}

func TestAnAnswerThatDoesNotComeIsGivenUpWithTheContext(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := listen(t, func(net.Conn) { <-release })
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := egress.New().Post(ctx, url, nil, []byte("{}"))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAnAnswerWithoutEndIsCutOff(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 64<<10)
		for range 17 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	_, err := egress.New().Post(t.Context(), server.URL, nil, nil)
	assert.ErrorIs(t, err, egress.ErrTooLarge)
}

func TestAnAddressThatIsNoURLIsRefused(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "http://a b", "ftp://127.0.0.1/", "http://127.0.0.1:notaport"} {
		_, err := egress.New().Post(t.Context(), url, nil, nil)
		assert.Error(t, err, url)
	}
}
