package pack

import (
	"io"

	"rookery/capsule/beneath"
)

// inFolder is the source of a package that is a folder.
type inFolder struct{ dir *beneath.Dir }

func (f inFolder) root() ([]string, error) { return f.dir.Names() }

func (f inFolder) open(name string) (io.ReadCloser, error) { return f.dir.OpenRegular(name) }

// readFolder reads the package that a held folder is.
func readFolder(folder *beneath.Dir) (*Package, error) {
	p, err := assemble(folder.Name(), inFolder{folder})
	if err != nil {
		return nil, err
	}
	for _, name := range p.Manifest.RequiresFiles {
		p.warnOfBuildInput(name)
	}
	return p, nil
}
