package roots

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rookery/launcher"
	"rookery/supervisor/delegation"
	"rookery/supervisor/fleet"
	"rookery/supervisor/ledger"
)

// Why Run does not start a root. Callers branch on them.
var (
	// ErrUnknown is returned for an id that no root of the fleet has.
	ErrUnknown = errors.New("no root of the fleet")
	// ErrRuns is returned for a root that has not ended.
	ErrRuns = errors.New("the root runs")
	// ErrStopping is returned once the supervisor is stopping.
	ErrStopping = errors.New("the supervisor is stopping")
)

// Root is a capsule of the fleet and its policy.
type Root struct {
	delegation.Root
	Restart fleet.Restart
}

// Config is what a Set stands on. All of it is required but Log.
type Config struct {
	Ledger ledger.Ledger
	// Start starts a root's session and returns its id once the intent is durable: delegation.Tree.StartRoot.
	Start func(context.Context, delegation.Root) (session string, err error)
	// Door opens the address of a root that may run again; nil stands for one that every session opens anew. It is launcher.OpenDoor.
	Door func(context.Context) (*launcher.Door, error)
	// Tell is told what happens to roots between their sessions. It must not block.
	Tell func(Change)
	Log  zerolog.Logger
}

// State is where a root is between its sessions.
type State string

// The states that are told.
const (
	// Restarting is a root that runs again after a wait.
	Restarting State = "restarting"
	// GaveUp is a root that failed too often.
	GaveUp State = "gave_up"
	// Kept is a root that ended before its supervisor died and stays ended.
	Kept State = "kept"
)

// Change is what happens to a root between its sessions.
type Change struct {
	Root delegation.Root
	// Session is the one that has ended; empty when none could be started.
	Session string
	State   State
	Detail  string
}

// Set is the roots of a fleet. It is safe for concurrent use.
type Set struct {
	config  Config
	keepers []*keeper
	byID    map[string]*keeper

	ctx      context.Context // of every keeper, until Close
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	stopping chan struct{}
	stop     sync.Once
}

// New returns the roots, of which none is started yet. The caller ends it with Close.
func New(ctx context.Context, c Config, all []Root) *Set {
	s := &Set{config: c, byID: map[string]*keeper{}, stopping: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for _, root := range all {
		k := &keeper{set: s, root: root, count: counter{policy: root.Restart}, orders: make(chan order), done: make(chan struct{})}
		s.keepers = append(s.keepers, k)
		s.byID[root.ID] = k
	}
	return s
}

// Start starts every root at once, in order, but those which past says have ended and stay so: see Past. One that is refused does not
// keep the others from starting. It is called once.
func (s *Set) Start(past map[string]ledger.Session) {
	for _, k := range s.keepers {
		if last, ended := past[k.root.ID]; ended && over(last, k.root.Restart) {
			k.keep(last)
		} else {
			k.open()
			_, _ = k.begin() // what went wrong is decided about there
		}
		s.wg.Go(k.live)
	}
}

// Len is how many roots there are.
func (s *Set) Len() int { return len(s.keepers) }

// Wait returns how root number i of the fleet ended for good, once it has, or the context's error. What an operator makes of it later
// changes nothing.
func (s *Set) Wait(ctx context.Context, i int) (Result, error) {
	k := s.keepers[i]
	select {
	case <-k.done:
		return k.result, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// Run starts a root that has ended, or is waiting to run again, and counts its restarts anew. It returns the new session. The error is
// ErrUnknown, ErrRuns, ErrStopping, a *delegation.Refusal, or the context's: then the root may have been started all the same.
func (s *Set) Run(ctx context.Context, id string) (session string, err error) {
	a, err := s.ask(ctx, id, order{run: true})
	if err != nil {
		return "", err
	}
	return a.session, a.err
}

// Hold keeps a root from running again after a session of it that an operator wanted to end, also when that had ended by itself and the
// root was waiting. A session that is not the root's latest changes nothing. The error is ErrUnknown, ErrStopping or the context's.
func (s *Set) Hold(ctx context.Context, id, session string) error {
	_, err := s.ask(ctx, id, order{hold: session})
	return err
}

// ask hands an order to the root's keeper and waits for its answer.
func (s *Set) ask(ctx context.Context, id string, o order) (answered, error) {
	k := s.byID[id]
	if k == nil {
		return answered{}, fmt.Errorf("%s: %w", id, ErrUnknown)
	}
	answer := make(chan answered, 1)
	o.answer = answer
	select {
	case k.orders <- o:
	case <-s.ctx.Done():
		return answered{}, ErrStopping
	case <-ctx.Done():
		return answered{}, ctx.Err()
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return answered{}, ctx.Err()
	}
}

// Stop lets no root run again. Those that wait to have ended; those that run end for good when their session does, which whoever stops
// the supervisor sees to.
func (s *Set) Stop() { s.stop.Do(func() { close(s.stopping) }) }

// Close gives the addresses back. Every session must have ended.
func (s *Set) Close() {
	s.Stop()
	s.cancel()
	s.wg.Wait()
	for _, k := range s.keepers {
		if k.root.Door != nil {
			k.root.Door.Close()
		}
	}
}

// since is how long a session ran.
func since(s ledger.Session) time.Duration { return time.Duration(s.DurationMS) * time.Millisecond }
