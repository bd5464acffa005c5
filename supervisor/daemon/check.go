package daemon

import (
	"errors"
	"fmt"

	"rookery/capsule/pack"
	"rookery/capsule/strictyaml"
	"rookery/supervisor/fleet"
)

// Report is everything that a check found.
type Report struct {
	// Faults keep the fleet from coming up as it is written, or a package of its stores from being used.
	Faults []error
	// Warnings do not.
	Warnings []error
}

// Check reads a fleet file, the packages of its stores and what it says about them, and starts nothing. The error is one of reading the
// fleet file itself.
func Check(path string) (Report, error) {
	var r Report
	f, warnings, err := fleet.Load(path, fleet.Options{})
	r.warn(warnings)
	var faults strictyaml.Faults
	switch {
	case errors.As(err, &faults):
		for _, fault := range faults {
			r.Faults = append(r.Faults, fault)
		}
		return r, nil
	case err != nil:
		return r, err
	}
	have := map[string]bool{}
	for _, store := range f.Store {
		packages, errs := pack.Scan(store)
		for _, err := range errs {
			r.fault(err)
		}
		for _, p := range packages {
			r.warn(p.Warnings)
			have[p.Manifest.Name+" "+p.Manifest.Version] = true
		}
	}
	for _, root := range f.Roots {
		if want := root.Name + " " + root.Version; !have[want] {
			r.Faults = append(r.Faults, fmt.Errorf("%s: root %s: there is no capsule %s in the store", f.File, root.ID, want))
		}
	}
	return r, nil
}

func (r *Report) warn(warnings []strictyaml.Fault) {
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, w)
	}
}

// fault adds an error, a list of faults as one each.
func (r *Report) fault(err error) {
	var faults strictyaml.Faults
	if !errors.As(err, &faults) {
		r.Faults = append(r.Faults, err)
		return
	}
	for _, fault := range faults {
		r.Faults = append(r.Faults, fault)
	}
}
