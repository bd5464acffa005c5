package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rookery/supervisor/events"
	"rookery/supervisor/fleet"
	"rookery/supervisor/retention"
)

// leastGrace is how long what the ledger does not know is left alone at least: a worker of it would end itself earlier, unless the fleet
// lets it live longer.
const leastGrace = time.Hour

// keep puts together what removes the past.
func (h *host) keep(context.Context) (err error) {
	f := h.o.Fleet
	h.pruner, err = retention.New(retention.Config{
		State: h.state, Ledger: h.ledger, Policy: f.Retention, Grace: max(leastGrace, f.OrphanTimeout), Root: namedIn(f),
		InUse: func() (map[string]bool, error) { return h.native.Files(h.catalog.Entries()) }, Now: time.Now, Log: h.log,
	})
	return err
}

func namedIn(f *fleet.Fleet) func(string) bool {
	return func(id string) bool {
		return slices.ContainsFunc(f.Roots, func(r fleet.Root) bool { return r.ID == id })
	}
}

// prune is for operators.
func (h *host) prune(ctx context.Context, dry bool) (retention.Report, error) {
	return h.pruner.Prune(ctx, dry)
}

// diskChanged tells that the disk of the state folder came below its floor, or above it again.
func (h *host) diskChanged(low bool, free, floor int64) {
	state, text := "disk_ok", fmt.Sprintf("%d bytes are free", free)
	if low {
		state, text = "disk_low", fmt.Sprintf("%d bytes are free, below the floor of %d: nothing is begun", free, floor)
	}
	h.log.WithLevel(map[bool]zerolog.Level{true: zerolog.WarnLevel, false: zerolog.InfoLevel}[low]).
		Str("state_dir", h.state.Root).Msg("disk: " + text)
	e := events.Host(state)
	e.Detail = text
	h.events.Add(e)
}

// PruneOptions are what `prune` was told.
type PruneOptions struct {
	StateDir string
	// Fleet says what is kept; nil: what a fleet file that says nothing keeps, and the latest session of every root, whatever fleet it was
	// of. Native code stays: which of it is used is known while a supervisor runs.
	Fleet *fleet.Fleet
	Dry   bool
	Log   zerolog.Logger
}

// Prune removes what is not kept any more while no supervisor runs on the state folder. The error wraps ErrConfig when one does.
func Prune(ctx context.Context, o PruneOptions) (r retention.Report, err error) {
	h := &host{ctx: ctx, log: o.Log, o: Options{StateDir: o.StateDir}}
	defer func() { err = errors.Join(err, h.close()) }()
	for _, step := range []func(context.Context) error{h.claim, h.know} {
		if err := step(ctx); err != nil {
			return r, err
		}
	}
	c := retention.Config{
		State: h.state, Ledger: h.ledger, Policy: fleet.DefaultRetention, Grace: leastGrace, Now: time.Now, Log: h.log,
		Root:  func(id string) bool { return !strings.Contains(id, "+") }, // those that an operator launched have one
		InUse: func() (map[string]bool, error) { return nil, errModules },
	}
	if o.Fleet != nil {
		c.Policy, c.Grace, c.Root = o.Fleet.Retention, max(leastGrace, o.Fleet.OrphanTimeout), namedIn(o.Fleet)
	}
	if h.pruner, err = retention.New(c); err != nil {
		return r, err
	}
	if !o.Dry {
		if err := h.pruner.Resume(ctx); err != nil {
			return r, err
		}
	}
	r, err = h.pruner.Prune(ctx, o.Dry)
	r.Faults = slices.DeleteFunc(r.Faults, func(err error) bool { return errors.Is(err, errModules) })
	return r, err
}

// errModules keeps all native code.
var errModules = errors.New("nobody knows which native code is used")
