package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rookery/capsule/atomicfile"
	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/launcher"
	"rookery/supervisor/catalog"
	"rookery/supervisor/delegation"
	"rookery/supervisor/hostapi"
	"rookery/supervisor/ledger"
	"rookery/supervisor/operator"
	"rookery/supervisor/retention"
	"rookery/supervisor/roots"
	"rookery/supervisor/store"
)

// lockTimeout is how long to wait for the database: the state folder's own lock is held by then, so only a stray reader can have it.
const lockTimeout = 5 * time.Second

// open puts the parts together: state folder and its lock, what is known, what is installed, what an earlier supervisor left. On an
// error everything opened so far is closed again.
func open(ctx context.Context, o Options) (_ *host, err error) {
	h := &host{ctx: ctx, o: o, log: o.Log, served: make(chan error, 3)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	for _, step := range []func(context.Context) error{h.find, h.claim, h.install, h.know, h.grow, h.keep, h.resume} {
		if err := step(ctx); err != nil {
			return h, err
		}
	}
	return h, nil
}

// find reads the stores and finds every root's capsule, before anything is made: a fleet that names what is not there leaves no trace.
// A package that cannot be used is said and passed over: a fleet that does not name it comes up.
func (h *host) find(context.Context) (err error) {
	var faults []error
	h.catalog, faults = catalog.Open(h.o.Fleet.Store)
	for _, fault := range faults {
		h.log.Warn().Err(fault).Msg("a package in the store cannot be used")
	}
	if h.roots, err = rootsOf(h.o.Fleet, h.catalog); err != nil {
		return config(err)
	}
	return nil
}

// claim makes the state folder and takes it for this process.
func (h *host) claim(context.Context) (err error) {
	if err := beneath.Supported(); err != nil {
		return config(err)
	}
	if h.state, err = layout.Create(h.o.StateDir); err != nil {
		return config(err)
	}
	h.unlock, err = store.Lock(h.state.Lock())
	var held *store.HeldError
	if errors.As(err, &held) {
		return config(fmt.Errorf("state folder %s: supervisor %d is running on it", h.state.Root, held.PID))
	}
	return err
}

// install finds the worker program and the capsules.
func (h *host) install(ctx context.Context) (err error) {
	if h.launcher, err = launcher.New(launcher.Config{WorkerPath: h.o.Worker, State: h.state, Log: h.log}); err != nil {
		return config(err)
	}
	if h.engineKey, err = launcher.EngineKey(ctx, h.o.Worker); err != nil {
		return config(fmt.Errorf("worker program %s: %w", h.o.Worker, err))
	}
	return nil
}

// know opens the ledger.
func (h *host) know(ctx context.Context) (err error) {
	var warning string
	if h.store, warning, err = store.Open(h.state.DB(), lockTimeout); err != nil {
		return err
	}
	if warning != "" {
		h.log.Warn().Msg(warning)
	}
	h.ledger, err = ledger.Open(ctx, h.store)
	return err
}

// grow builds the tree and the services over everything else.
func (h *host) grow(ctx context.Context) (err error) {
	if err := h.stock(); err != nil {
		return err
	}
	limits := limitsOf(h.o.Fleet)
	root, err := filepath.EvalSymlinks(h.state.Root)
	if err != nil {
		return err
	}
	mounts, err := mountsOf(h.o.Fleet, root)
	if err != nil {
		return config(err)
	}
	secured, err := secure(h.o.Fleet)
	if err != nil {
		return config(err)
	}
	h.observe(ctx)
	h.tree = delegation.New(ctx, delegation.Config{
		Ledger: h.ledger, Launcher: h.launcher, Catalog: h.catalog, Native: h.native, State: h.state, Limits: limits, Mounts: mounts,
		EngineKey: h.engineKey, Orphan: delegation.Orphan{Timeout: h.o.Fleet.OrphanTimeout}, Refused: h.refused,
		Disk: retention.NewFloor(h.state.Root, h.diskChanged).Check, Log: h.log,
	})
	h.set = roots.New(ctx, roots.Config{
		Ledger: h.ledger, Start: h.tree.StartRoot, Door: launcher.OpenDoor, Tell: h.rootChanged, Log: h.log,
	}, h.roots)
	h.hostAPI = hostapi.New(h.tree, h.ledger, h.launcher, h.log)
	h.operator, err = operator.New(operator.Config{
		Tree: h.tree, Ledger: h.ledger, Launcher: h.launcher, Catalog: h.catalog, Events: h.events, Roots: h.set, Prune: h.prune, TLS: secured, Log: h.log,
		Host: operator.Host{
			Version: h.o.Version, StateDir: h.state.Root, StartedAt: time.Now(), Limits: limits, Containment: "advisory", Checks: h.checks(),
		},
	})
	return err
}

// resume concludes what an earlier supervisor left unfinished, and clears what no live session needs.
func (h *host) resume(ctx context.Context) error {
	if err := h.pruner.Resume(ctx); err != nil {
		h.log.Error().Err(err).Msg("a removal that an earlier supervisor had begun is not finished: what it was about may be half there")
	}
	n, err := h.tree.Sweep(ctx)
	if n > 0 {
		h.log.Warn().Int("sessions", n).Msg("an earlier supervisor did not end cleanly: its sessions were concluded")
	}
	if err != nil {
		return fmt.Errorf("conclude what an earlier supervisor left: %w", err)
	}
	if n, err = h.tree.Recover(ctx); n > 0 {
		h.log.Warn().Int("sessions", n).Msg("the ledger was lost: sessions on disk without an end were given one")
	}
	if err != nil {
		return fmt.Errorf("conclude what the ledger does not know: %w", err)
	}
	return errors.Join(clearFolders(h.state.WorkerRun(""), h.state.Sessions("")), sweepLineages(h.state.Records("", "")))
}

// sweepLineages removes what a killed supervisor left half written beside the lineages in the capsules' folders of records. It is called
// while nobody writes there.
func sweepLineages(records string) error {
	capsules, err := os.ReadDir(records)
	if err != nil {
		return err
	}
	held, err := beneath.Open(records)
	if err != nil {
		return err
	}
	var errs []error
	for _, capsule := range capsules {
		if !capsule.IsDir() {
			continue
		}
		folder, err := held.Sub(capsule.Name())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, err = atomicfile.Sweep(folder.FD())
		errs = append(errs, err, folder.Close())
	}
	return errors.Join(append(errs, held.Close())...)
}

// clearFolders empties folders that hold only what live sessions need. It is called while no session lives.
func clearFolders(folders ...string) error {
	var errs []error
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		errs = append(errs, err)
		dir, err := beneath.Open(folder)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, e := range entries {
			errs = append(errs, dir.RemoveAll(e.Name()))
		}
		errs = append(errs, dir.Close())
	}
	return errors.Join(errs...)
}

func config(err error) error { return fmt.Errorf("%w: %w", ErrConfig, err) }

// stock opens the cache of native code.
func (h *host) stock() (err error) {
	h.native, err = catalog.NewCache(catalog.Config{
		State: h.state, EngineKey: h.engineKey, Digests: h.ledger, Log: h.log,
		Compile: func(ctx context.Context, in, out *os.File) error {
			return h.launcher.Compile(ctx, in, out, launcher.CompileLimits{})
		},
	})
	return err
}
