package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
)

// maxStoreDepth is how deep below the store a package's folder may lie.
const maxStoreDepth = 2

// Scan reads every package of a store: a folder with a manifest one or two levels
// below it, or <name>/<version>/<name>-<version>.mur.zip. Packages come in the order
// of their paths, and so do the errors, one for each package or entry that cannot be
// used; they do not keep the others from being found. Names that begin with a dot
// are passed over.
func Scan(store string) ([]*Package, []error) {
	absolute, err := filepath.Abs(store)
	if err != nil {
		return nil, []error{fmt.Errorf("store %s: %w", store, err)}
	}
	root, err := beneath.Open(absolute)
	if err != nil {
		return nil, []error{fmt.Errorf("store %s: %w", store, err)}
	}
	defer root.Close()
	var found scan
	found.level(root)
	return found.packages, found.errs
}

type scan struct {
	packages []*Package
	errs     []error
}

// level looks for packages within parent; below are the names of the folders from
// the store to it.
func (s *scan) level(parent *beneath.Dir, below ...string) {
	names, err := parent.Names()
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("store %s: %w", parent.Name(), err))
		return
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if strings.HasSuffix(name, ArchiveSuffix) {
			s.take(placed(parent, name, below))
			continue
		}
		if len(below) == maxStoreDepth {
			continue
		}
		folder, err := parent.Sub(name)
		switch {
		case errors.Is(err, unix.ENOTDIR):
		case err != nil:
			s.errs = append(s.errs, fmt.Errorf("store: %s: %w", filepath.Join(parent.Name(), name), err))
		default:
			s.folder(folder, append(below[:len(below):len(below)], name))
		}
	}
}

// folder takes a folder as a package if it has a manifest, and looks into it
// otherwise. It closes it.
func (s *scan) folder(folder *beneath.Dir, below []string) {
	defer folder.Close()
	if _, err := folder.Stat(layout.ManifestFile); errors.Is(err, fs.ErrNotExist) {
		s.level(folder, below...)
		return
	}
	s.take(readFolder(folder))
}

func (s *scan) take(found *Package, err error) {
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.packages = append(s.packages, found)
}

// placed reads an archive whose place in the store must say what it is.
func placed(parent *beneath.Dir, file string, below []string) (*Package, error) {
	path := filepath.Join(parent.Name(), file)
	if len(below) != maxStoreDepth {
		return nil, fmt.Errorf("package %s: an archive lies at <store>/<name>/<version>/<name>-<version>%s", path, ArchiveSuffix)
	}
	name, version := below[0], below[1]
	if want := name + "-" + version + ArchiveSuffix; file != want {
		return nil, fmt.Errorf("package %s: the archive in this place is called %s (%s)", path, want, CodeIntegrity)
	}
	p, err := readArchive(parent, file)
	if err != nil {
		return nil, err
	}
	if p.Manifest.Name != name || p.Manifest.Version != version {
		return nil, fmt.Errorf("package %s: its place says %s %s, its manifest %s %s (%s)",
			path, name, version, p.Manifest.Name, p.Manifest.Version, CodeIntegrity)
	}
	return p, nil
}
