package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rookery/capsule/beneath"
	"rookery/capsule/pack/internal/zipfile"
)

// inArchive is the source of a package that is an archive.
type inArchive struct{ *zipfile.Archive }

func (a inArchive) root() (names []string, _ error) {
	for _, entry := range a.Entries {
		if !strings.Contains(entry.Name, "/") {
			names = append(names, entry.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (a inArchive) open(name string) (io.ReadCloser, error) {
	entry := a.Find(name)
	if entry == nil {
		return nil, fmt.Errorf("there is no %s in it", name)
	}
	return io.NopCloser(a.Open(entry)), nil
}

// readArchive reads the package that the file name in a held folder is.
func readArchive(folder *beneath.Dir, name string) (*Package, error) {
	path := filepath.Join(folder.Name(), name)
	archive, digest, err := sealArchive(folder, name)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	defer archive.Close()
	if err := checkSidecar(folder, name, digest); err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	return readZip(path, archive, digest)
}

// sealArchive copies an archive to where it cannot change while it is read, and
// returns its digest.
func sealArchive(folder *beneath.Dir, name string) (*os.File, string, error) {
	file, err := folder.OpenRegular(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	return Seal(file.Name(), file, zipfile.MaxArchive)
}

// readZip reads the package in an archive that has this digest, and unpacks its
// module once.
func readZip(path string, data zipfile.Data, digest string) (*Package, error) {
	wrong := func(err error) error { return fmt.Errorf("package %s: %w", path, err) }
	archive, err := zipfile.Read(data)
	if err != nil {
		return nil, wrong(err)
	}
	p, err := assemble(path, inArchive{archive})
	if err != nil {
		return nil, err
	}
	for _, entry := range archive.Entries {
		p.warnOfBuildInput(entry.Name)
	}
	for _, name := range archive.Outside {
		p.warn(CodePassedOver, "the entry %.120q would lie outside the package, it is treated as absent", name)
	}
	module := archive.Find(p.module)
	if module.Size > MaxModule {
		return nil, wrong(fmt.Errorf("module %s has %d bytes, the limit is %d", p.module, module.Size, int64(MaxModule)))
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, archive.Open(module)); err != nil {
		return nil, wrong(err)
	}
	p.archive, p.pinned = digest, hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// unpackModule copies the module out of the archive, if that still is the one that
// was opened.
func (p *Package) unpackModule() (*os.File, error) {
	at, name := filepath.Split(p.Path)
	folder, err := beneath.Open(at)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	sealed, digest, err := sealArchive(folder, name)
	if err != nil {
		return nil, err
	}
	defer sealed.Close()
	if digest != p.archive {
		return nil, fmt.Errorf("it was changed after it was verified (%s)", CodeIntegrity)
	}
	archive, err := zipfile.Read(sealed)
	if err != nil {
		return nil, err
	}
	module, _, err := Seal(filepath.Join(p.Path, p.module), archive.Open(archive.Find(p.module)), MaxModule)
	return module, err
}
