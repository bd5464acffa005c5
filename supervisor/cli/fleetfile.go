package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/fleet"
)

// fleetFile is the fleet file's path: -f, or fleet.yaml here.
func (a *address) fleetFile() string {
	if a.fleet != "" {
		return a.fleet
	}
	return "fleet.yaml"
}

// loadFleet reads the fleet file for `up`.
func (a *address) loadFleet(once bool) (*fleet.Fleet, error) {
	f, warnings, err := fleet.Load(a.fleetFile(), fleet.Options{Once: once})
	for _, w := range warnings {
		_, _ = fmt.Fprintln(a.env.Stderr, "warning: "+view.CleanText(w.Error()))
	}
	if err != nil {
		return nil, usage("%w", err)
	}
	return f, nil
}

// fleetStateDir is state_dir of -f, which must be readable, or of ./fleet.yaml when there is one; "" when neither names a folder.
func (a *address) fleetStateDir() (string, error) {
	path := a.fleetFile()
	if _, err := os.Stat(path); a.fleet == "" && errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	f, _, err := fleet.Load(path, fleet.Options{})
	if err != nil {
		return "", usage("the state folder is looked for in the fleet file (--state DIR names it directly): %w", err)
	}
	return f.StateDir, nil
}
