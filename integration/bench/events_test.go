package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// watchers are as many as the issue of this row has; perConnection of them share a connection.
const watchers, perConnection = 100, 10

// BenchmarkEvents is the time from the end of a session, as its row in the ledger has it, until those who watch the host's events know: the
// only one there is, the first and the last of a hundred. The commit of that row is in it, and so is reading all the streams, which the
// benchmark does on the same processors.
func BenchmarkEvents(b *testing.B) {
	alone, crowded := rig.Up(b, roomy()), rig.Up(b, roomy())
	one, hundred := follow(b, alone, 1), follow(b, crowded, watchers)
	r := measure(b, func(r *rows) {
		_, last := one.ended(b, launch(b, alone, "silent-ok", ""))
		r.add("alone", last)
		first, last := hundred.ended(b, launch(b, crowded, "silent-ok", ""))
		r.add("first", first)
		r.add("last", last)
	})
	r.report(b, map[string]string{"first": "alone", "last": "alone"})
}

// heardEnd is a session's end as one watcher has heard of it.
type heardEnd struct {
	session string
	after   time.Duration
}

type crowd struct {
	n    int
	ends chan heardEnd
}

// follow lets n watchers follow a host's events.
func follow(b *testing.B, h *rig.Host, n int) crowd {
	b.Helper()
	c := crowd{n: n, ends: make(chan heardEnd, n)}
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	b.Cleanup(func() {
		cancel()
		reading.Wait()
	})
	var conn *grpc.ClientConn
	for i := range n {
		if i%perConnection == 0 {
			var err error
			conn, err = grpc.NewClient("unix:"+h.State.OperatorSock(), grpc.WithTransportCredentials(insecure.NewCredentials()))
			require.NoError(b, err)
			b.Cleanup(func() { conn.Close() })
		}
		stream, err := operatorv1.NewOperatorServiceClient(conn).WatchEvents(ctx, &operatorv1.WatchEventsRequest{})
		require.NoError(b, err)
		reading.Go(func() { c.read(ctx, stream) })
	}
	return c
}

// read hands on every end of a session until the stream ends.
func (c crowd) read(ctx context.Context, stream grpc.ServerStreamingClient[operatorv1.WatchEventsResponse]) {
	for {
		answer, err := stream.Recv()
		if err != nil {
			return
		}
		at, e := time.Now(), answer.GetEvent()
		if e.GetKind() != operatorv1.EventKind_EVENT_KIND_SESSION || e.GetState() != "ended" {
			continue
		}
		select {
		case c.ends <- heardEnd{e.GetSessionId(), at.Sub(e.GetTime().AsTime())}:
		case <-ctx.Done():
			return
		}
	}
}

// ended waits until all have heard of a session's end, and returns how long it took the first and the last.
func (c crowd) ended(b *testing.B, session *operatorv1.Session) (first, last time.Duration) {
	b.Helper()
	late := time.NewTimer(bound)
	defer late.Stop()
	for n := range c.n {
		select {
		case e := <-c.ends:
			require.Equal(b, session.GetSessionId(), e.session, "an event came twice, or late")
			if n == 0 || e.after < first {
				first = e.after
			}
			last = max(last, e.after)
		case <-late.C:
			b.Fatalf("after %s %d of %d watchers know of the end", bound, n, c.n)
		}
	}
	return first, last
}
