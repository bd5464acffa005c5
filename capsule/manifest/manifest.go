package manifest

import (
	"slices"
	"time"

	"rookery/capsule/strictyaml"
)

// Manifest is what this build acts on, defaults filled in.
type Manifest struct {
	// Name is the capsule's bare name.
	Name string
	// Version is one exact version.
	Version string
	// MurVersion is the version of the format's own tool that the author used. It
	// decides nothing.
	MurVersion string
	// RequiresFiles names the files that belong to the package beside its manifest
	// and its module: clean, relative, with slashes, each once.
	RequiresFiles []string
	Capabilities  Capabilities
	Lifecycle     Lifecycle
}

// Capabilities is the most a capsule may be given.
type Capabilities struct {
	// SpawnAllow names the capsules it may delegate to; without any it may not
	// delegate.
	SpawnAllow []string
	// EnvAllow names the host's variables it may see.
	EnvAllow []string
	Limits   Limits
	// Filesystem narrows what it sees of its work folder.
	Filesystem Filesystem
	Resources  Resources
	// Containment is the class the capsule asks for at least.
	Containment Containment
}

// Limits bounds one task's run. The defaults are the format's.
type Limits struct {
	// MemoryBytes bounds linear memory; default 512 MiB.
	MemoryBytes int64
	// TableElements bounds each table; default 100,000.
	TableElements int64
	// Instances bounds module instances; default 1,000.
	Instances int64
	// Deadline is how long one task may run; default 600 s.
	Deadline time.Duration
}

// Filesystem is what of its work folder a capsule sees and may change. Paths are
// clean and relative, with slashes and without links or "..".
type Filesystem struct {
	// Scope is the folder beneath the work folder that the capsule sees as its own;
	// empty for all of it.
	Scope string
	// ReadOnly lists what of the capsule's folder it cannot change, with all that is
	// beneath; "." stands for everything.
	ReadOnly []string
}

// Resources bounds what a capsule may keep in its folder.
type Resources struct {
	// WorkdirMaxBytes bounds the lengths of all files; default 10 GiB.
	WorkdirMaxBytes int64
	// WorkdirMaxFiles bounds the names of files, folders and links; default 100,000.
	WorkdirMaxFiles int64
}

// Containment is a class of isolation.
type Containment string

// Advisory asks for no guarantee by the kernel. It is the only class that this
// build reaches.
const Advisory Containment = "advisory"

// Lifecycle is how the capsule's session runs. What this build can do is one task,
// then the end (single, exit).
type Lifecycle struct {
	TaskAcceptance string
	AfterTask      string
	// DelegationDeadline bounds each delegation that the capsule makes; default
	// 600 s.
	DelegationDeadline time.Duration
}

// MaySpawn reports whether the capsule may delegate to one of this bare name.
func (m *Manifest) MaySpawn(capsule string) bool {
	return slices.ContainsFunc(m.Capabilities.SpawnAllow, func(allowed string) bool { return bare(allowed) == capsule })
}

// Parse reads a manifest; file is its name in faults. The error, if any, is a
// strictyaml.Faults with everything that is wrong. Warnings come with a manifest
// and with an error.
func Parse(file string, data []byte) (*Manifest, []strictyaml.Fault, error) {
	document, faults := strictyaml.Parse(file, data)
	if len(faults) > 0 {
		return nil, nil, recode(faults).Err()
	}
	written := defaults()
	faults = recode(document.Decode(&written))
	warnings, refused := judge(document)
	faults = append(faults, refused...)
	checker := checker{document: document, wrong: faulty(faults)}
	checker.manifest(&written)
	faults = append(faults, checker.faults...)
	warnings = append(warnings, checker.warnings...)
	if err := faults.Err(); err != nil {
		return nil, warnings.Sorted(), err
	}
	return written.manifest(), warnings.Sorted(), nil
}

// faulty is the set of fields that have a fault already: what is wrong in one way
// is not reported again for another.
func faulty(faults strictyaml.Faults) map[string]bool {
	fields := map[string]bool{}
	for _, fault := range faults {
		fields[fault.Field] = true
	}
	return fields
}
