package launcher

import (
	"errors"
	"fmt"
	"io"
	stdlog "log" //nolint:depguard // net/http takes no other
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sys/unix"
)

const (
	// standInTimeout bounds reading a request and writing the answer.
	standInTimeout = 5 * time.Second
	// standInConnections bounds how many clients are answered at once, per door; others wait in the backlog. A dead capsule's
	// callers are few, and the supervisor's descriptors are for the living.
	standInConnections = 16
	// standInHeader bounds a request's header, in bytes. None of it is used.
	standInHeader = 16 << 10
)

// unavailable is what the stand-in says, whatever is asked.
const unavailable = `{"error":"unavailable","message":"the capsule's process has ended"}` + "\n"

// door is the supervisor's copy of a worker's listener. Nobody accepts on it as long as the worker lives.
type door struct {
	listener *net.TCPListener

	mu     sync.Mutex // guards what follows
	server *http.Server
	served chan struct{} // closed when the server has ended
	closed bool
}

// StandIn answers at the door in the place of the worker that has ended: status 503 to whoever waits there already and whoever
// comes, until CloseDoor. Without it the port would accept and never answer. It must come after Done.
func (w *Worker) StandIn() error {
	select {
	case <-w.done:
	default:
		return errors.New("stand in at the door: the worker lives")
	}
	if err := w.door.standIn(); err != nil {
		return fmt.Errorf("stand in at the door: %w", err)
	}
	return nil
}

// CloseDoor gives the door's port back, with or without a stand-in. It may be called again.
func (w *Worker) CloseDoor() { w.door.close() }

func (d *door) standIn() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return net.ErrClosed
	}
	if d.server != nil {
		return nil
	}
	// The flag belongs to the socket, not to our copy: the worker could have taken it off, and accept would hold a thread.
	fd, err := descriptor(d.listener)
	if err == nil {
		err = unix.SetNonblock(int(fd), true)
	}
	if err != nil {
		return err
	}
	d.server = &http.Server{
		Handler:        http.HandlerFunc(answerUnavailable),
		ReadTimeout:    standInTimeout,
		WriteTimeout:   standInTimeout,
		MaxHeaderBytes: standInHeader,
		ErrorLog:       stdlog.New(io.Discard, "", 0), // clients' mistakes
	}
	d.served = make(chan struct{})
	go func() {
		defer close(d.served)
		// It ends only by close.
		_ = d.server.Serve(netutil.LimitListener(d.listener, standInConnections))
	}()
	return nil
}

func answerUnavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, unavailable)
}

func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	if d.server != nil {
		d.server.Close()
		<-d.served
	}
	d.listener.Close()
}
