package retention

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/supervisor/fleet"
	"rookery/supervisor/ledger"
)

// every is how often a host that runs is pruned.
const every = time.Hour

// Config is what a Pruner stands on. All of it is required but Log.
type Config struct {
	State  layout.State
	Ledger ledger.Ledger
	Policy fleet.Retention
	// Grace is how long a session that the ledger does not know is left alone after the last change to what it left.
	Grace time.Duration
	// Root reports whether a root of this id is in the fleet: its latest session stays.
	Root func(id string) bool
	// InUse are the file names of native code that installed capsules use. An error keeps all of it.
	InUse func() (map[string]bool, error)
	Now   func() time.Time
	Log   zerolog.Logger
}

// Pruner removes what the policy does not keep. It is safe for concurrent use: one removal at a time.
type Pruner struct {
	config Config
	state  *beneath.Dir

	busy  chan struct{}    // holds one token; whoever has it may use what follows
	sizes map[string]usage // of sessions that have ended
	wg    sync.WaitGroup
	stop  context.CancelFunc
}

// New returns a Pruner for a state folder whose lock is held. The caller ends it with Close.
func New(c Config) (*Pruner, error) {
	state, err := beneath.Open(c.State.Root)
	if err != nil {
		return nil, fmt.Errorf("retention: %w", err)
	}
	return &Pruner{config: c, state: state, busy: make(chan struct{}, 1), sizes: map[string]usage{}, stop: func() {}}, nil
}

// Report is what a Prune did, or would do.
type Report struct {
	// Items went, oldest first.
	Items []Item
	// Bytes is what they took; Kept what the rest takes.
	Bytes, Kept int64
	// Faults name what could not be looked at or removed.
	Faults []error
}

// Count is how many items of a kind went.
func (r Report) Count(kind Kind) int {
	n := 0
	for _, i := range r.Items {
		if i.Kind == kind {
			n++
		}
	}
	return n
}

// Sessions is how many sessions went.
func (r Report) Sessions() int {
	n := 0
	for _, i := range r.Items {
		n += i.Sessions()
	}
	return n
}

// Prune removes what the policy does not keep, or with dry only says what that is. The error is the context's, which is looked at between
// two items: what was begun is finished.
func (p *Pruner) Prune(ctx context.Context, dry bool) (Report, error) {
	if err := p.take(ctx); err != nil {
		return Report{}, err
	}
	defer p.give()
	now := p.config.Now()
	items, faults := p.scan(ctx, now)
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	gone, kept := choose(items, p.config.Policy, now)
	r := Report{Kept: kept, Faults: faults}
	if !dry {
		r.Faults = append(r.Faults, p.emptyTrash(ctx)...)
	}
	for _, item := range gone {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if !dry {
			if err := p.remove(ctx, item); err != nil {
				r.Faults = append(r.Faults, fmt.Errorf("%s %s: %w", item.Kind, item.Name, err))
				r.Kept += item.Bytes
				continue
			}
		}
		r.Items = append(r.Items, item)
		r.Bytes += item.Bytes
	}
	return r, nil
}

func (p *Pruner) take(ctx context.Context) error {
	select {
	case p.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Pruner) give() { <-p.busy }

// Run prunes at once and then every hour, until Close. It is called once.
func (p *Pruner) Run(ctx context.Context) {
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			p.tell(p.Prune(ctx, false))
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// tell logs what was done, if anything.
func (p *Pruner) tell(r Report, err error) {
	if err != nil {
		return // the supervisor stops
	}
	for _, fault := range r.Faults {
		p.config.Log.Warn().Err(fault).Msg("retention: something stays")
	}
	if len(r.Items) > 0 {
		p.config.Log.Info().Int("trees", r.Count(Tree)).Int("sessions", r.Sessions()).Int("modules", r.Count(Module)).
			Int("databases", r.Count(Database)).Int64("bytes", r.Bytes).Int64("kept_bytes", r.Kept).Msg("retention: removed what is not kept any more")
	}
	if r.Kept > p.config.Policy.MaxBytes {
		p.config.Log.Warn().Int64("kept_bytes", r.Kept).Int64("max_bytes", p.config.Policy.MaxBytes).
			Msg("retention: what lives takes more than max_bytes")
	}
}

// Close ends Run after the item it is at, and waits for a Prune under way: its context has to end. Those that come later wait for theirs.
func (p *Pruner) Close() error {
	p.stop()
	p.wg.Wait()
	p.busy <- struct{}{}
	return p.state.Close()
}
