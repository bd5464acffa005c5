package delegation

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rookery/capsule/layout"
	"rookery/launcher"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
)

// Config is what a Tree stands on. All of it is required but Refused, Disk and Log, whose zero value is
// silent.
type Config struct {
	Ledger   ledger.Ledger
	Launcher *launcher.Launcher
	Catalog  *catalog.Catalog
	Native   *catalog.Cache
	State    layout.State
	Limits   Limits
	// Mounts are folders of the host, each for the capsules it names.
	Mounts []Mount
	// EngineKey is the worker program's own word for its engine; a worker that says another is not used.
	EngineKey string
	// Orphan tells workers how long to go on without a supervisor.
	Orphan Orphan
	// Refused, when set, is told each delegation that was refused, by the goroutine that asked. It must not block.
	Refused func(session string, req Request, why *Refusal)
	// Disk, when set, says how many bytes are free where the records are written, and whether that is not below the floor. It must not
	// block.
	Disk func() (free, floor int64, enough bool)
	Log  zerolog.Logger
}

// Tree is everything that runs under this supervisor.
type Tree struct {
	ledger    ledger.Ledger
	launcher  *launcher.Launcher
	catalog   *catalog.Catalog
	native    *catalog.Cache
	state     layout.State
	limits    Limits
	mounts    []Mount
	engineKey string
	orphan    Orphan
	rates     *rates
	refused   func(session string, req Request, why *Refusal)
	disk      func() (free, floor int64, enough bool)
	feeds     *feeds
	log       zerolog.Logger

	// base outlives every caller: what a durable intent began goes on though the asking connection is gone. It ends with Close.
	base context.Context
	stop context.CancelFunc

	// answers has a place for each answer that is read at this moment.
	answers chan struct{}

	draining atomic.Bool
	wg       sync.WaitGroup // every run and every end in progress

	causes sync.RWMutex
	mu     sync.Mutex
	runs   map[string]*run // by session, from intent until settled
}

// answersAtOnce bounds the answers in memory at one time: each has up to 64 MiB, and all children of a tree can end at once.
const answersAtOnce = 4

// New returns a tree that runs nothing yet. Call Sweep before anything is started, and Close when everything has ended.
func New(ctx context.Context, c Config) *Tree {
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &Tree{
		ledger: c.Ledger, launcher: c.Launcher, catalog: c.Catalog, native: c.Native, state: c.State, limits: c.Limits, mounts: c.Mounts,
		engineKey: c.EngineKey, orphan: c.Orphan, refused: c.Refused, disk: c.Disk, rates: newRates(c.Limits), feeds: newFeeds(), log: c.Log, base: base, stop: stop,
		answers: make(chan struct{}, answersAtOnce), runs: map[string]*run{},
	}
}

// Close waits for everything that was begun, when nobody can begin anything any more. Call Drain first: it does not end anything itself.
// The error says that a process is still there that the kernel does not end: the next supervisor finds it in the ledger.
func (t *Tree) Close() error {
	defer t.stop()
	done := make(chan struct{})
	go func() { defer close(done); t.wg.Wait() }() // ends with what it waits for, at the latest with this process
	late := time.NewTimer(2 * gone)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return fmt.Errorf("something that was begun has not ended within %s", 2*gone)
	}
}

// bounded is a context for one change that must be made whoever still waits for it.
func (t *Tree) bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.base, commitTimeout)
}

// spawn runs fn until Close has waited for it.
func (t *Tree) spawn(fn func()) {
	t.wg.Go(fn)
}

func (t *Tree) add(r *run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs[r.session.ID] = r
}

func (t *Tree) remove(r *run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.runs, r.session.ID)
}

func (t *Tree) run(session string) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.runs[session]
}
