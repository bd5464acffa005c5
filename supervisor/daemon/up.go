package daemon

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rookery/capsule/layout"
	"rookery/launcher"
	"rookery/supervisor/catalog"
	"rookery/supervisor/delegation"
	"rookery/supervisor/events"
	"rookery/supervisor/fleet"
	"rookery/supervisor/hostapi"
	"rookery/supervisor/ledger"
	"rookery/supervisor/operator"
	"rookery/supervisor/retention"
	"rookery/supervisor/roots"
	"rookery/supervisor/store"
)

// Options are what `up` was told.
type Options struct {
	Fleet *fleet.Fleet
	// StateDir is the state folder; it wins over the fleet's.
	StateDir string
	// Worker is the path of the worker program.
	Worker string
	// Version is stamped at build time.
	Version string
	// Once ends the host when every root has ended for good.
	Once bool
	// StopTimeout is the time budget for ending every tree.
	StopTimeout time.Duration
	// Stop delivers requests to stop: the first ends every tree within StopTimeout, the second ends it at once.
	Stop <-chan os.Signal
	// Ended is told each root's end for good, in the order of the fleet file. It is called from Up's own goroutine.
	Ended func(roots.Result)
	Log   zerolog.Logger
}

// ErrConfig marks errors of what Up was given, as against errors of what it did: a state folder that is not usable, a capsule that is
// not in the store, a second supervisor.
var ErrConfig = errors.New("configuration")

// serveGrace is how long a stop waits for operators' calls that are being answered.
const serveGrace = time.Second

// Up runs a supervisor until it is stopped or, with Once, until every root has ended. It returns whether every root ended ok.
func Up(ctx context.Context, o Options) (ok bool, err error) {
	h, err := open(ctx, o)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	if err := h.serve(); err != nil {
		return false, err
	}
	past, err := h.mark()
	if err != nil {
		return false, err
	}
	h.set.Start(past)
	h.pruner.Run(ctx)
	ok, err = h.run(ctx)
	h.clean = err == nil
	return ok, err
}

// host is a supervisor that is up.
type host struct {
	o         Options
	state     layout.State
	unlock    func() error
	ctx       context.Context // for Close: the trees end even if the caller's context has
	engineKey string
	store     *store.Store
	ledger    ledger.Ledger
	launcher  *launcher.Launcher
	catalog   *catalog.Catalog
	native    *catalog.Cache
	tree      *delegation.Tree
	roots     []roots.Root
	set       *roots.Set
	pruner    *retention.Pruner
	// clean is set when everything has ended as it was meant to.
	clean    bool
	hostAPI  *hostapi.Server
	operator *operator.Server
	events   *events.Ring
	refusals *events.Refusals
	// endEvents ends the telling once nothing changes any more; nil until it has begun.
	endEvents    func()
	saidStopping sync.Once
	served       chan error
	serving      int
	log          zerolog.Logger
}
