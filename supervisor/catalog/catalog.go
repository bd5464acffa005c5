package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rookery/capsule/pack"
)

// Why a capsule is not found. Callers branch on them for the guest's codes.
var (
	// ErrUnknownCapsule is returned for a name that no package has.
	ErrUnknownCapsule = errors.New("no such capsule")
	// ErrUnknownVersion is returned for a version that none of its packages has,
	// also for latest and the like.
	ErrUnknownVersion = errors.New("no such version")
)

// Entry is one capsule on disk.
type Entry struct {
	*pack.Package

	module stamped
}

// Catalog is the capsules that were on disk when it was opened. It does not
// change and may be used from any goroutine.
type Catalog struct {
	byName map[string]map[string]*Entry
}

// Open reads every package of the stores. The errors say what could not be used,
// in the order of the stores and the paths within them; they do not keep the rest
// from being found. Of two packages with one name and version the first is kept
// and the second is an error.
func Open(stores []string) (*Catalog, []error) {
	c := &Catalog{byName: map[string]map[string]*Entry{}}
	var errs []error
	for _, store := range stores {
		packages, faults := pack.Scan(store)
		errs = append(errs, faults...)
		for _, found := range packages {
			if err := c.add(found); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return c, errs
}

func (c *Catalog) add(found *pack.Package) error {
	name, version := found.Manifest.Name, found.Manifest.Version
	if known, ok := c.byName[name][version]; ok {
		if known.Path == found.Path {
			return nil // two stores that overlap
		}
		return fmt.Errorf("package %s: %s %s was found already, in %s", found.Path, name, version, known.Path)
	}
	if c.byName[name] == nil {
		c.byName[name] = map[string]*Entry{}
	}
	c.byName[name][version] = &Entry{Package: found}
	return nil
}

// Lookup returns the capsule of this bare name and exact version. The errors wrap
// ErrUnknownCapsule or ErrUnknownVersion.
func (c *Catalog) Lookup(name, version string) (*Entry, error) {
	versions, ok := c.byName[name]
	if !ok {
		return nil, fmt.Errorf("capsule %.120q: %w", name, ErrUnknownCapsule)
	}
	entry, ok := versions[version]
	if !ok {
		return nil, fmt.Errorf("capsule %s version %.80q: %w", name, version, ErrUnknownVersion)
	}
	return entry, nil
}

// Entries returns all capsules, by name and then by version as text.
func (c *Catalog) Entries() []*Entry {
	var entries []*Entry
	for _, versions := range c.byName {
		for _, entry := range versions {
			entries = append(entries, entry)
		}
	}
	slices.SortFunc(entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Manifest.Name, b.Manifest.Name), cmp.Compare(a.Manifest.Version, b.Manifest.Version))
	})
	return entries
}
