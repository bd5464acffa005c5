package launcher_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/launcher"
)

func TestADoorThatIsKeptIsHandedFromWorkerToWorkerAndNeverRefuses(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	door, err := launcher.OpenDoor(context.Background())
	require.NoError(t, err)
	defer door.Close()
	require.NoError(t, door.StandIn())
	status, _, _, err := get(t, door.URL())
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, status, "before the first worker")

	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() { hammer(t, door.URL(), stop) })
	}
	for range 3 {
		w := h.exec(t, func() launcher.Spec { s := spec(t, "door"); s.Door = door; return s }())
		assert.Equal(t, door.URL(), w.URL())
		require.NoError(t, w.OpenGate())
		_, err := w.Connect(context.Background())
		require.NoError(t, err)
		assign(t, w, "block")
		status, body, _, err := get(t, door.URL())
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "the worker's", body)

		require.NoError(t, w.Stop(context.Background(), nil, 0))
		require.NoError(t, w.StandIn())
		w.CloseDoor()
		status, _, _, err = get(t, door.URL())
		require.NoError(t, err, "it is not the worker's to close")
		assert.Equal(t, http.StatusServiceUnavailable, status)
	}
	close(stop)
	clients.Wait()
	door.Close()
	door.Close()
	require.ErrorIs(t, door.StandIn(), net.ErrClosed)
	_, _, _, err = get(t, door.URL())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

func TestAsManyIdleClientsAsMayBeDoNotKeepTheNextWorkerFromItsDoor(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	door, err := launcher.OpenDoor(context.Background())
	require.NoError(t, err)
	defer door.Close()
	require.NoError(t, door.StandIn())
	for range 16 { // what a stand-in answers at once: each says nothing for as long as it is let
		idle, err := net.Dial("tcp", strings.TrimPrefix(door.URL(), "http://"))
		require.NoError(t, err)
		defer idle.Close()
		_, err = idle.Write([]byte("G"))
		require.NoError(t, err)
	}
	s := spec(t, "door")
	s.Door = door
	w := h.exec(t, s)
	before := time.Now()
	require.NoError(t, w.OpenGate())
	assert.Less(t, time.Since(before), 2*time.Second, "their five seconds are not waited for")
	require.NoError(t, w.Stop(context.Background(), nil, 0))
}

// hammer asks until stop. An answer may be cut off by its worker's death; the port must be open whenever somebody comes.
func hammer(t *testing.T, url string, stop <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-stop:
			return
		default:
		}
		conn, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), bound)
		if assert.NoError(t, err) {
			conn.Close()
		}
		response, err := http.Get(url) // bounded by the worker's and the stand-in's own times
		if err != nil {
			assert.NotErrorIs(t, err, syscall.ECONNREFUSED)
			continue
		}
		assert.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, response.StatusCode)
		response.Body.Close()
	}
}

func TestADoorThatIsKeptOutlivesASessionThatNeverRan(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	door, err := launcher.OpenDoor(context.Background())
	require.NoError(t, err)
	defer door.Close()
	require.NoError(t, door.StandIn())
	s := spec(t, "")
	s.Door = door
	p, err := h.Prepare(context.Background(), s)
	require.NoError(t, err)
	assert.Equal(t, door.URL(), p.URL())
	require.NoError(t, p.Discard())
	status, _, _, err := get(t, door.URL())
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, status, "the stand-in goes on until a gate opens")
}
