package daemon

import (
	"errors"
	"fmt"

	"rookery/supervisor/catalog"
	"rookery/supervisor/delegation"
	"rookery/supervisor/fleet"
)

func limitsOf(f *fleet.Fleet) delegation.Limits {
	l := f.Limits
	return delegation.Limits{
		MaxDepth: l.MaxDepth, MaxChildren: l.MaxChildren, MaxLive: l.MaxLiveCapsules, MaxPerRoot: l.MaxSpawnsPerRoot,
		RatePerMinute: l.SpawnRate.PerMinute(), Burst: l.SpawnBurst,
	}
}

// rootsOf finds the capsule of every root, all that are missing at once.
func rootsOf(f *fleet.Fleet, c *catalog.Catalog) ([]delegation.Root, error) {
	var roots []delegation.Root
	var errs []error
	for _, r := range f.Roots {
		entry, err := c.Lookup(r.Name, r.Version)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: root %s: there is no capsule %s %s in the store", f.File, r.ID, r.Name, r.Version))
			continue
		}
		roots = append(roots, delegation.Root{ID: r.ID, Entry: entry, Task: r.Task, Workdir: r.Workdir, Env: r.Env})
	}
	return roots, errors.Join(errs...)
}
