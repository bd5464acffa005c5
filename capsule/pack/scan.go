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

// packedSuffix ends the name of a packed capsule.
const packedSuffix = ".mur.zip"

// maxStoreDepth is how deep below the store a package's folder may lie.
const maxStoreDepth = 2

// Scan reads every unpacked package of a store: a folder with a manifest one or
// two levels below it. Packages come in the order of their paths, and so do the
// errors, one for each package or entry that cannot be used; they do not keep the
// others from being found. Names that begin with a dot are passed over.
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
	found.level(root, 1)
	return found.packages, found.errs
}

type scan struct {
	packages []*Package
	errs     []error
}

// level looks for packages among the folders within parent, which lie depth
// levels below the store.
func (s *scan) level(parent *beneath.Dir, depth int) {
	names, err := parent.Names()
	if err != nil {
		s.errs = append(s.errs, fmt.Errorf("store %s: %w", parent.Name(), err))
		return
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			continue
		}
		where := filepath.Join(parent.Name(), name)
		if strings.HasSuffix(name, packedSuffix) {
			s.errs = append(s.errs, fmt.Errorf("package %s: packed capsules are not read by this build: unpack it into a folder of its own", where))
			continue
		}
		if depth > maxStoreDepth {
			continue
		}
		folder, err := parent.Sub(name)
		switch {
		case errors.Is(err, unix.ENOTDIR):
		case err != nil:
			s.errs = append(s.errs, fmt.Errorf("store: %s: %w", where, err))
		default:
			s.folder(folder, depth)
		}
	}
}

// folder takes a folder as a package if it has a manifest, and looks into it
// otherwise. It closes it.
func (s *scan) folder(folder *beneath.Dir, depth int) {
	defer folder.Close()
	if _, err := folder.Stat(layout.ManifestFile); errors.Is(err, fs.ErrNotExist) {
		s.level(folder, depth+1)
		return
	}
	pack, err := read(folder)
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.packages = append(s.packages, pack)
}
