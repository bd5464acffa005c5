package pack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/manifest"
	"rookery/capsule/strictyaml"
)

const (
	// ModuleFile is the module's name in a package that holds more than one.
	ModuleFile = "capsule.wasm"
	// CodeModules is the error code of a package without one clear module.
	CodeModules = "E-BLD-003"
	// CodeOtherModule warns of a root module that is not the capsule's.
	CodeOtherModule = "W-BLD-002"
)

// Package is an unpacked capsule.
type Package struct {
	// Dir is its folder's absolute path.
	Dir      string
	Manifest *manifest.Manifest
	// ManifestText is the manifest as it stands in the file.
	ManifestText []byte
	// Warnings are the manifest's and the package's own.
	Warnings []strictyaml.Fault

	module string
}

// Open reads the package in the folder dir. When it is the manifest that is wrong,
// errors.As finds the strictyaml.Faults in the error.
func Open(dir string) (*Package, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", dir, err)
	}
	folder, err := beneath.Open(absolute)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", dir, err)
	}
	defer folder.Close()
	return read(folder)
}

// read reads the package in a held folder.
func read(folder *beneath.Dir) (*Package, error) {
	pack := &Package{Dir: folder.Name()}
	var err error
	if pack.ManifestText, err = folder.ReadRegular(layout.ManifestFile, strictyaml.MaxBytes); err != nil {
		return nil, fmt.Errorf("package %s: %w", pack.Dir, err)
	}
	file := filepath.Join(pack.Dir, layout.ManifestFile)
	names, err := folder.Names()
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", pack.Dir, err)
	}
	var others []string
	var manifestErr, moduleErr error
	pack.Manifest, pack.Warnings, manifestErr = manifest.Parse(file, pack.ManifestText)
	if pack.module, others, moduleErr = chooseModule(names); moduleErr != nil {
		moduleErr = fmt.Errorf("package %s: %w", pack.Dir, moduleErr)
	}
	if err := errors.Join(manifestErr, moduleErr); err != nil {
		return nil, err
	}
	if len(others) > 0 {
		pack.Warnings = append(pack.Warnings, strictyaml.Fault{
			File: file, Line: 1, Column: 1, Code: CodeOtherModule,
			Message: fmt.Sprintf("beside %s lies %q, which is not used", ModuleFile, others),
		})
	}
	return pack, nil
}

// chooseModule picks capsule.wasm or the only module among a package's names.
func chooseModule(names []string) (module string, others []string, err error) {
	for _, name := range names {
		if strings.HasSuffix(name, ".wasm") {
			others = append(others, name)
		}
	}
	if at := slices.Index(others, ModuleFile); at >= 0 {
		return ModuleFile, slices.Delete(others, at, at+1), nil
	}
	switch len(others) {
	case 0:
		return "", nil, fmt.Errorf("it holds no module: %s or one *.wasm beside the manifest (%s)", ModuleFile, CodeModules)
	case 1:
		return others[0], nil, nil
	default:
		return "", nil, fmt.Errorf("it holds the modules %q, and none is called %s (%s)", others, ModuleFile, CodeModules)
	}
}

// OpenModule opens the module, which must be a regular file and, by its header, a
// core module. The caller closes the file; it is at its beginning.
func (p *Package) OpenModule() (*os.File, error) {
	folder, err := beneath.Open(p.Dir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Dir, err)
	}
	defer folder.Close()
	file, err := folder.OpenRegular(p.module)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Dir, err)
	}
	if err = CheckModule(file); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("module %s: %w", file.Name(), err), file.Close())
	}
	return file, nil
}
