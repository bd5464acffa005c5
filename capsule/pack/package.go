package pack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rookery/capsule/beneath"
	"rookery/capsule/manifest"
	"rookery/capsule/strictyaml"
)

const (
	// ModuleFile is the module's name in a package that holds more than one.
	ModuleFile = "capsule.wasm"
	// ArchiveSuffix ends the name of a package that is an archive.
	ArchiveSuffix = ".mur.zip"
)

// Package is a capsule as its author left it.
type Package struct {
	// Path is the absolute path of its folder or its archive.
	Path     string
	Manifest *manifest.Manifest
	// ManifestText is the manifest as it stands in the file.
	ManifestText []byte
	// Warnings are the manifest's and the package's own.
	Warnings []strictyaml.Fault

	module string // its name
	// archive and pinned are the SHA-256 of an archive and of its module, in hex.
	archive, pinned string
}

// Open reads the package that is the folder or the archive at path. When it is the
// manifest that is wrong, errors.As finds the strictyaml.Faults in the error; when
// there is no manifest in a folder, or nothing at path, errors.Is finds
// fs.ErrNotExist.
func Open(path string) (*Package, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	at, name := absolute, ""
	if strings.HasSuffix(absolute, ArchiveSuffix) {
		if info, err := os.Stat(absolute); err == nil && !info.IsDir() {
			at, name = filepath.Split(absolute)
		}
	}
	folder, err := beneath.Open(at)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	defer folder.Close()
	if name != "" {
		return readArchive(folder, name)
	}
	return readFolder(folder)
}

// Pinned is the SHA-256 of the module, in lower-case hex, if it was verified for
// good when the package was opened: that of an archive. For a folder it is empty.
func (p *Package) Pinned() string { return p.pinned }

// OpenModule opens the module, which is a regular file and, by its header, a core
// module. An archive's is a copy in memory that nobody can write to; an error
// follows if the archive is no longer what it was when it was opened. The caller
// closes the file; it is at its beginning.
func (p *Package) OpenModule() (*os.File, error) {
	if p.archive != "" {
		module, err := p.unpackModule()
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", p.Path, err)
		}
		return module, nil
	}
	folder, err := beneath.Open(p.Path)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Path, err)
	}
	defer folder.Close()
	file, err := folder.OpenRegular(p.module)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Path, err)
	}
	if err = CheckModule(file); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("module %s: %w", file.Name(), err), file.Close())
	}
	return file, nil
}
