package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log" //nolint:depguard // net/http takes no other
	"net"
	"net/http"
	"os"
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

// StandIn answers at the door in the place of the worker that has ended: status 503 to whoever waits there already and whoever
// comes, until CloseDoor or the door's next worker. Without it the port would accept and never answer. It must come after Done.
func (w *Worker) StandIn() error {
	select {
	case <-w.done:
	default:
		return errors.New("stand in at the door: the worker lives")
	}
	return w.door.StandIn()
}

// CloseDoor gives the door's port back, with or without a stand-in, unless the session's spec brought the door: that one is its
// owner's to close. It may be called again.
func (w *Worker) CloseDoor() {
	if w.spec.Door == nil {
		w.door.Close()
	}
}

// StandIn begins to answer with status 503, until Close or until a worker with this door opens its gate. It must not be called
// while a worker has the door. Once more is as good as once; net.ErrClosed after Close.
func (d *Door) StandIn() error {
	if err := d.standIn(); err != nil {
		return fmt.Errorf("stand in at the door: %w", err)
	}
	return nil
}

func (d *Door) standIn() error {
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
	if err == nil {
		err = d.listener.SetDeadline(time.Time{}) // of the last hand-over
	}
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:        http.HandlerFunc(answerUnavailable),
		ReadTimeout:    standInTimeout,
		WriteTimeout:   standInTimeout,
		MaxHeaderBytes: standInHeader,
		ErrorLog:       stdlog.New(io.Discard, "", 0), // clients' mistakes
	}
	d.server, d.served = server, make(chan struct{})
	d.accepting = netutil.LimitListener(lent{d.listener}, standInConnections)
	go func(accepting net.Listener, served chan<- struct{}) {
		defer close(served)
		// It ends only by yield or Close.
		_ = server.Serve(accepting)
	}(d.accepting, d.served)
	return nil
}

// yield ends the stand-in and leaves the port open, for the worker that is about to accept there. Who was accepted still gets the
// answer; everybody else waits in the backlog.
func (d *Door) yield() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil || d.closed {
		return
	}
	server := d.server
	d.server = nil
	// The limited listener, not the one beneath it: with as many clients as may be, its Accept waits for one of them to leave.
	_ = d.accepting.Close()
	<-d.served
	d.answering.Go(func() {
		// The times of the server bound each answer; what is left after them has not sent a request.
		ctx, cancel := context.WithTimeout(d.base, 2*standInTimeout)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
	})
}

// lent is a listener whose end leaves the socket open.
type lent struct{ *net.TCPListener }

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// Accept ends with net.ErrClosed after Close: a deadline alone would be tried again.
func (l lent) Accept() (net.Conn, error) {
	conn, err := l.TCPListener.Accept()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = net.ErrClosed
	}
	return conn, err
}

// Close ends Accept.
func (l lent) Close() error { return l.SetDeadline(past) }

func answerUnavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, unavailable)
}

// Close gives the port back. Whoever is being answered is cut off. It may be called again.
func (d *Door) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	d.stop()
	if d.server != nil {
		d.server.Close()
		<-d.served
	}
	d.answering.Wait()
	d.listener.Close()
}
