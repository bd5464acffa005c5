package hostapi

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A worker's share. A delegation is one call of about 30 ms and an outcome one acknowledgement, so a tree at its spawn limits uses a
// few calls a second; a worker that asks faster than this is broken or hostile.
const (
	callsPerSecond = 200
	callBurst      = 400
	maxAtOnce      = 64
	// A worker of ours says at most ten words of progress a second.
	toldPerSecond = 20
)

// shares holds what each live worker has used of its share.
type shares struct {
	mu sync.Mutex
	of map[string]*share
}

type share struct {
	calls  *rate.Limiter
	told   *rate.Limiter
	atOnce chan struct{}
	// evict ends the worker's stream when it opens another.
	evict context.CancelFunc
	users int
}

func newShares() *shares { return &shares{of: map[string]*share{}} }

// enter takes a place for one call, or refuses. leave must be called for each place taken.
func (s *shares) enter(session string, now time.Time) (leave func(), err error) {
	sh := s.hold(session, now)
	if !sh.calls.AllowN(now, 1) {
		s.release(session)
		return nil, status.Errorf(codes.ResourceExhausted, "more than %d calls a second", callsPerSecond)
	}
	select {
	case sh.atOnce <- struct{}{}:
	default:
		s.release(session)
		return nil, status.Errorf(codes.ResourceExhausted, "more than %d calls at once", maxAtOnce)
	}
	return func() { <-sh.atOnce; s.release(session) }, nil
}

// mayTell takes one word of progress from the worker's share.
func (s *shares) mayTell(session string, now time.Time) bool {
	defer s.release(session)
	return s.hold(session, now).told.AllowN(now, 1)
}

// open makes ctx the context of the worker's one stream; the stream it had ends. It takes a place like any call: a stream begins with every
// outcome there is, and one that was ended keeps its place until its worker has read what was being sent.
func (s *shares) open(ctx context.Context, session string, now time.Time) (context.Context, func(), error) {
	leave, err := s.enter(session, now)
	if err != nil {
		return nil, nil, err
	}
	sh := s.hold(session, now)
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	if sh.evict != nil {
		sh.evict()
	}
	sh.evict = cancel
	s.mu.Unlock()
	return ctx, func() { cancel(); s.release(session); leave() }, nil
}

func (s *shares) hold(session string, now time.Time) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.of[session]
	if sh == nil {
		s.sweep(now)
		sh = &share{calls: rate.NewLimiter(callsPerSecond, callBurst), told: rate.NewLimiter(toldPerSecond, toldPerSecond), atOnce: make(chan struct{}, maxAtOnce)}
		s.of[session] = sh
	}
	sh.users++
	return sh
}

// release gives a hold back. The share stays: one that was forgotten now would be whole again at the next call.
func (s *shares) release(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[session].users--
}

// sweep forgets the shares that nobody uses and that are whole anyway. It runs when a session comes that has none, so there are never
// more than the sessions of the last few seconds. The lock is held.
func (s *shares) sweep(now time.Time) {
	for session, sh := range s.of {
		if sh.users == 0 && sh.calls.TokensAt(now) >= callBurst && sh.told.TokensAt(now) >= toldPerSecond {
			delete(s.of, session)
		}
	}
}

func (s *Server) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	w, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	leave, err := s.shares.enter(w.SessionID(), time.Now())
	if err != nil {
		return nil, err
	}
	defer leave()
	return next(context.WithValue(ctx, callerKey{}, w.SessionID()), req)
}

func (s *Server) stream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	w, err := s.caller(ss.Context())
	if err != nil {
		return err
	}
	ctx, done, err := s.shares.open(context.WithValue(ss.Context(), callerKey{}, w.SessionID()), w.SessionID(), time.Now())
	if err != nil {
		return err
	}
	defer done()
	return next(srv, &stream{ServerStream: ss, ctx: ctx})
}

// stream is a server stream under a context of our own.
type stream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s *stream) Context() context.Context { return s.ctx }
