package pack

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/manifest"
	"rookery/capsule/strictyaml"
)

// source is where the files of a package are: a folder or an archive.
type source interface {
	// root lists what is at the package's root, sorted.
	root() ([]string, error)
	// open opens a regular file.
	open(name string) (io.ReadCloser, error)
}

// assemble reads a package and says everything that is wrong with it at once. where
// is its path.
func assemble(where string, from source) (*Package, error) {
	p := &Package{Path: where}
	wrong := func(err error) error { return fmt.Errorf("package %s: %w", where, err) }
	var err error
	if p.ManifestText, err = readAll(from, layout.ManifestFile, strictyaml.MaxBytes); err != nil {
		return nil, wrong(err)
	}
	names, err := from.root()
	if err != nil {
		return nil, wrong(err)
	}
	file := filepath.Join(where, layout.ManifestFile)
	var faults []error
	p.Manifest, p.Warnings, err = manifest.Parse(file, p.ManifestText)
	faults = append(faults, err)
	module, others, err := chooseModule(names)
	if err == nil {
		p.module = module
		err = checkOpened(from, module)
	}
	if err != nil {
		faults = append(faults, wrong(err))
	}
	if p.Manifest != nil {
		for _, name := range p.Manifest.RequiresFiles {
			if err := present(from, name); err != nil {
				faults = append(faults, wrong(err))
			}
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(others) > 0 {
		p.warn(CodeOtherModule, "beside %s lies %q, which is not used", ModuleFile, others)
	}
	return p, nil
}

// warn adds a warning about the package as a whole.
func (p *Package) warn(code, format string, args ...any) {
	p.Warnings = append(p.Warnings, strictyaml.Fault{
		File: filepath.Join(p.Path, layout.ManifestFile), Line: 1, Column: 1, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

// readAll reads a file of at most limit bytes.
func readAll(from source, name string, limit int64) ([]byte, error) {
	file, err := from.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%w of %d bytes", beneath.ErrTooLarge, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}

// checkOpened opens the module and looks at its header.
func checkOpened(from source, module string) error {
	file, err := from.open(module)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := CheckModule(file); err != nil {
		return fmt.Errorf("module %s: %w (%s)", module, err, CodeModule)
	}
	return nil
}

// present makes sure that a file which the manifest requires can be opened.
func present(from source, name string) error {
	file, err := from.open(name)
	if err != nil {
		// Not wrapped: fs.ErrNotExist would say that there is no package.
		return fmt.Errorf("requires_files: %v (%s)", err, CodeMissingFile) //nolint:errorlint // see above
	}
	return file.Close()
}

// chooseModule picks capsule.wasm or the only module among the names at a package's
// root.
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

// buildInputs are files that tools build a module from.
var buildInputs = []string{
	"Cargo.toml", "Cargo.lock", "go.mod", "go.sum", "package.json", "package-lock.json", "pyproject.toml", "CMakeLists.txt", "Makefile",
}

// warnOfBuildInput looks at the name of what is packed.
func (p *Package) warnOfBuildInput(name string) {
	if slices.Contains(buildInputs, path.Base(name)) {
		p.warn(CodeBuildInput, "%q builds the module; it need not be in the package", name)
	}
}
