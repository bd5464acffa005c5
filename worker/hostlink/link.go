package hostlink

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"

	"rookery/capsule/peercred"
	hostv1 "rookery/proto/rookery/host/v1"
)

// connectTimeout bounds one connect with its handshake: the supervisor is on this
// machine, and one that does not take connections is no supervisor.
const connectTimeout = 2 * time.Second

// Config is what a link needs.
type Config struct {
	// Path is where host.sock lies, reached through the inherited folder.
	Path string
	Log  zerolog.Logger
	// Released is called with every new outcome before anybody who waits for it is
	// woken, and Arrived when it can be read; Progress with each word of a child that
	// runs. One goroutine at a time calls them. Each may be nil.
	Released, Arrived func(*hostv1.ReleasedOutcome)
	Progress          func(*hostv1.ChildProgress)
}

// Link is the connection. It is safe for concurrent use.
type Link struct {
	log      zerolog.Logger
	conn     *grpc.ClientConn
	client   hostv1.HostServiceClient
	released func(*hostv1.ReleasedOutcome)
	arrived  func(*hostv1.ReleasedOutcome)
	progress func(*hostv1.ChildProgress)
	outcomes *Outcomes
	presence *presence
	acks     *acknowledger
	words    *teller
	pid      atomic.Int64

	stop    context.CancelFunc
	ended   <-chan struct{} // closed when the loops are to end
	running sync.WaitGroup
}

// Open begins to connect and returns at once. The link lives until Close; ctx
// ending cuts it off without the last acknowledgements.
func Open(ctx context.Context, c Config) (*Link, error) {
	l := &Link{
		log:      c.Log,
		released: c.Released,
		arrived:  c.Arrived,
		progress: c.Progress,
		outcomes: newOutcomes(),
		presence: newPresence(),
		acks:     newAcknowledger(),
		words:    newTeller(),
	}
	if l.released == nil {
		l.released = func(*hostv1.ReleasedOutcome) {}
	}
	if l.arrived == nil {
		l.arrived = func(*hostv1.ReleasedOutcome) {}
	}
	if l.progress == nil {
		l.progress = func(*hostv1.ChildProgress) {}
	}
	conn, err := grpc.NewClient("passthrough:///host.sock",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return dial(ctx, c.Path)
		}),
		grpc.WithTransportCredentials(peercred.Client(l.meet)),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           grpcbackoff.Config{BaseDelay: firstPause, Multiplier: 2, MaxDelay: lastPause},
			MinConnectTimeout: connectTimeout,
		}),
		grpc.WithIdleTimeout(0),
	)
	if err != nil {
		return nil, fmt.Errorf("host link: %w", err)
	}
	l.conn, l.client = conn, hostv1.NewHostServiceClient(conn)
	ctx, l.stop = context.WithCancel(ctx)
	l.ended = ctx.Done()
	l.running.Go(func() { l.attach(ctx) })
	l.running.Go(func() { l.acks.run(ctx, l.acknowledge) })
	l.running.Go(func() {
		l.words.run(ctx, l.say, func(err error) { l.log.Debug().Err(err).Msg("a word of progress was lost") })
	})
	return l, nil
}

// dial reaches the socket at path.
func dial(ctx context.Context, path string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "unix", path)
}

// meet records whose socket the other end is. Whoever listens in the folder this
// worker was given is its supervisor: nobody else could have made the socket there.
func (l *Link) meet(pid int, _ uint32) error {
	if old := l.pid.Swap(int64(pid)); old != int64(pid) {
		l.log.Debug().Int("supervisor", pid).Msg("met a supervisor")
	}
	return nil
}

// Outcomes holds what was released to this session so far.
func (l *Link) Outcomes() *Outcomes { return l.outcomes }

// Attached reports whether a supervisor is there right now.
func (l *Link) Attached() bool {
	attached, _, _ := l.presence.now()
	return attached
}

// AwaitOrphaned returns nil when no supervisor has been attached for limit, or the
// context's error when that ends first.
func (l *Link) AwaitOrphaned(ctx context.Context, limit time.Duration) error {
	return l.presence.awaitMissing(ctx, limit)
}

// Close acknowledges what has arrived and says the last word of progress, as long as ctx
// and a supervisor allow, and ends the link. It returns when nothing of the link runs any more.
func (l *Link) Close(ctx context.Context) error {
	if l.Attached() {
		l.acks.drain(ctx, l.ended)
		l.words.drain(ctx, l.ended)
	}
	l.stop()
	l.running.Wait()
	if err := l.conn.Close(); err != nil {
		return fmt.Errorf("host link: close: %w", err)
	}
	return nil
}
