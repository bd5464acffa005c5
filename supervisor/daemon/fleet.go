package daemon

import (
	"errors"
	"fmt"
	"path/filepath"

	"rookery/launcher"
	"rookery/supervisor/catalog"
	"rookery/supervisor/delegation"
	"rookery/supervisor/fleet"
	"rookery/supervisor/roots"
)

func limitsOf(f *fleet.Fleet) delegation.Limits {
	l := f.Limits
	return delegation.Limits{
		MaxDepth: l.MaxDepth, MaxChildren: l.MaxChildren, MaxLive: l.MaxLiveCapsules, MaxPerRoot: l.MaxSpawnsPerRoot,
		RatePerMinute: l.SpawnRate.PerMinute(), Burst: l.SpawnBurst,
	}
}

// mountsOf refuses a folder that holds the host's own state or lies in it: a capsule would read other sessions' records, and sockets
// that are for nobody.
func mountsOf(f *fleet.Fleet, state string) ([]delegation.Mount, error) {
	var mounts []delegation.Mount
	var errs []error
	for _, m := range f.Mounts {
		real, err := filepath.EvalSymlinks(m.Host)
		if err == nil && (under(real, state) || under(state, real)) {
			err = fmt.Errorf("it overlaps the state folder %s", state)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: mount %s: %w", f.File, m.Guest, err))
			continue
		}
		mounts = append(mounts, delegation.Mount{
			Mount:    launcher.Mount{Host: m.Host, Guest: m.Guest, ReadOnly: m.ReadOnly},
			Capsules: m.Capsules,
		})
	}
	return mounts, errors.Join(errs...)
}

// under reports whether path is folder or lies beneath it; both are clean.
func under(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

func noCapsule(f *fleet.Fleet, r fleet.Root) error {
	return fmt.Errorf("%s: root %s: there is no capsule %s %s in the store", f.File, r.ID, r.Name, r.Version)
}

// rootsOf finds the capsule of every root, all that are missing at once.
func rootsOf(f *fleet.Fleet, c *catalog.Catalog) ([]roots.Root, error) {
	var all []roots.Root
	var errs []error
	for _, r := range f.Roots {
		entry, err := c.Lookup(r.Name, r.Version)
		if err != nil {
			errs = append(errs, noCapsule(f, r))
			continue
		}
		all = append(all, roots.Root{
			Root:    delegation.Root{ID: r.ID, Entry: entry, Task: r.Task, Workdir: r.Workdir, Env: r.Env},
			Restart: r.Restart,
		})
	}
	return all, errors.Join(errs...)
}
