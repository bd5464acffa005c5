package door

import (
	"context"
	"errors"
	"fmt"
	stdlog "log" //nolint:depguard // net/http takes no other
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"rookery/worker/hostlink"
	"rookery/worker/internal/live"
)

// Bounds of the door. A completion is some hundred bytes; the body's bound is that of
// messages to come.
const (
	maxConnections = 64
	maxHeader      = 16 << 10
	maxBody        = 4 << 20
	headerTimeout  = 5 * time.Second
	requestTimeout = 15 * time.Second
	// closing is how long requests under way may take when the door closes.
	closing = 500 * time.Millisecond
	// Each bell is a call to the supervisor, of which this worker has 200 a second: whoever rings without end must not use up what its own
	// ops need. As many children as may live ring once each.
	bellsPerSecond = 50
	bellBurst      = 100
)

// Config is what a door needs.
type Config struct {
	// Listener is the door's own; Serve closes it.
	Listener net.Listener
	Card     Card
	// Task is the session's one task.
	Task *live.Task
	Link *hostlink.Link
	Log  zerolog.Logger
}

// Door is one session's door.
type Door struct {
	sessionID string
	task      *live.Task
	link      *hostlink.Link
	log       zerolog.Logger
	listener  net.Listener
	server    *http.Server
	card      cardFile
	bells     *rate.Limiter
}

// New returns a door that is not served yet.
func New(c Config) (*Door, error) {
	file, err := newCardFile(c.Card)
	if err != nil {
		return nil, err
	}
	d := &Door{
		sessionID: c.Card.SessionID, task: c.Task, link: c.Link, log: c.Log,
		listener: netutil.LimitListener(c.Listener, maxConnections), card: file, bells: rate.NewLimiter(bellsPerSecond, bellBurst),
	}
	d.server = &http.Server{
		Handler:                      d,
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  requestTimeout,
		WriteTimeout:                 requestTimeout,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     stdlog.New(c.Log, "", 0),
	}
	// One request a connection, as other implementations do.
	d.server.SetKeepAlivesEnabled(false)
	return d, nil
}

// Serve answers until ctx ends, then finishes the requests under way, for half a
// second at most.
func (d *Door) Serve(ctx context.Context) error {
	d.server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	ended := make(chan error, 1)
	go func() { ended <- d.server.Serve(d.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("door: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	err := d.server.Shutdown(grace)
	if err != nil {
		err = d.server.Close()
	}
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		return fmt.Errorf("door: %w", served)
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the door: %w", err)
	}
	return nil
}

// ServeHTTP routes one request. What is not served is not there: 404, empty.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == cardPath && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		d.card.serve(w, r)
	case r.URL.Path == "/" && r.Method == http.MethodPost && isJSON(r) && r.ContentLength > 0:
		d.serveRPC(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}
