package daemon

import (
	"errors"

	"rookery/capsule/strictyaml"
	"rookery/supervisor/catalog"
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
	found, errs := catalog.Open(f.Store) // as `up` does: modules are looked at too
	for _, err := range errs {
		r.fault(err)
	}
	for _, entry := range found.Entries() {
		r.warn(entry.Warnings)
		if err := entry.CheckStart(); err != nil {
			r.Faults = append(r.Faults, err)
		}
	}
	if _, err := secure(f); err != nil {
		r.Faults = append(r.Faults, err)
	}
	for _, root := range f.Roots {
		if _, err := found.Lookup(root.Name, root.Version); err != nil {
			r.Faults = append(r.Faults, noCapsule(f, root))
		}
	}
	return r, nil
}

func (r *Report) warn(warnings []strictyaml.Fault) {
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, w)
	}
}

// fault adds an error, what is several of them as one each.
func (r *Report) fault(err error) {
	var joined interface{ Unwrap() []error }
	var faults strictyaml.Faults
	switch {
	case errors.As(err, &joined):
		for _, one := range joined.Unwrap() {
			r.fault(one)
		}
	case errors.As(err, &faults):
		for _, fault := range faults {
			r.Faults = append(r.Faults, fault)
		}
	default:
		r.Faults = append(r.Faults, err)
	}
}
