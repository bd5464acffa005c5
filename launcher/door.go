package launcher

import (
	"context"
	"net"
	"net/http"
	"sync"

	"rookery/launcher/compose"
)

// Door is the port of a capsule: the supervisor's copy of the listener that its worker inherits. Nobody accepts on this copy as long as
// a worker has it. One that a Spec brings outlives the worker, so that the next one serves at the same address. It is safe for
// concurrent use.
type Door struct {
	listener *net.TCPListener
	url      string
	// base ends with Close: it bounds the answers of stand-ins that have yielded.
	base      context.Context
	stop      context.CancelFunc
	answering sync.WaitGroup

	mu        sync.Mutex // guards what follows
	server    *http.Server
	accepting net.Listener  // what the server accepts on
	served    chan struct{} // closed when the server accepts no more
	closed    bool
}

// OpenDoor opens a door at which nobody answers yet. Whoever opens it closes it.
func OpenDoor(ctx context.Context) (*Door, error) {
	listener, url, err := compose.OpenDoor(ctx)
	if err != nil {
		return nil, err
	}
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &Door{listener: listener, url: url, base: base, stop: stop}, nil
}

// URL is where the door is, http://host:port.
func (d *Door) URL() string { return d.url }
