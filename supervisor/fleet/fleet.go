package fleet

import (
	"fmt"
	"path/filepath"
	"time"

	"rookery/capsule/strictyaml"
)

// Fleet is a fleet file that this build can run.
type Fleet struct {
	// File is the file's absolute path.
	File string
	// StateDir is absolute; empty when the file names none.
	StateDir string
	// Store lists the folders where capsules are found, absolute.
	Store []string
	// Operator is where operators are served besides the state folder's socket.
	Operator Operator
	// Containment is the class that workers get: auto or advisory.
	Containment string
	Limits      Limits
	// OrphanTimeout is how long a worker goes on without a supervisor.
	OrphanTimeout time.Duration
	// Retention bounds what is kept of the ended.
	Retention Retention
	Roots     []Root
	Mounts    []Mount
}

// Limits bounds what capsules may start. They are the host's: no manifest and no
// capsule raises one.
type Limits struct {
	// MaxDepth is the deepest delegation; a root has depth 0.
	MaxDepth int
	// MaxChildren bounds the live children of one session.
	MaxChildren int
	// MaxLiveCapsules bounds the live sessions of the host.
	MaxLiveCapsules int
	// MaxSpawnsPerRoot bounds the delegations ever begun beneath one root session.
	MaxSpawnsPerRoot int
	// SpawnRate bounds how fast delegations begin beneath one root session.
	SpawnRate Rate
	// SpawnBurst is how many may begin at once before SpawnRate counts.
	SpawnBurst int
}

// Root is a capsule that `up` starts.
type Root struct {
	// ID is unique in the fleet.
	ID      string
	Name    string
	Version string
	// HasTask tells an empty task from none.
	HasTask bool
	Task    string
	// Workdir is absolute; empty for a folder of the session's own.
	Workdir string
	// Env is the only source of values for the names in env.allow.
	Env map[string]string
	// Restart says whether it runs again when it has ended.
	Restart Restart
}

// Mount shows a folder of the host to some capsules.
type Mount struct {
	// Host is absolute, and was a folder when the file was read.
	Host string
	// Guest is what the capsules call it: a folder beside their own.
	Guest string
	// ReadOnly is the default.
	ReadOnly bool
	// Capsules are the names of those that see it, roots or delegated.
	Capsules []string
}

// Options is what the command line says about how a fleet is to be run.
type Options struct {
	// Once is set when the fleet is to end by itself.
	Once bool
}

// Load reads the fleet file at path, and the task files that it names. The error
// is strictyaml.Faults for everything that is wrong with the content, or what
// reading the file failed with. Warnings come with a fleet and with faults.
func Load(path string, options Options) (*Fleet, []strictyaml.Fault, error) {
	data, err := readBounded(path, strictyaml.MaxBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("fleet file %s: %w", path, err)
	}
	return Parse(path, data, options)
}

// Parse is Load for a file whose content the caller has; file is its name in
// faults, and paths are relative to the folder it lies in.
func Parse(file string, data []byte, options Options) (*Fleet, []strictyaml.Fault, error) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, nil, fmt.Errorf("fleet file %s: %w", file, err)
	}
	document, faults := strictyaml.Parse(file, data)
	if len(faults) > 0 {
		return nil, nil, faults.Err()
	}
	w := defaults()
	faults = document.Decode(&w)
	c := checker{document: document, folder: filepath.Dir(absolute), options: options, wrong: map[string]bool{}}
	for _, fault := range faults {
		c.wrong[fault.Field] = true
	}
	fleet := c.fleet(&w)
	fleet.File = absolute
	if err := append(faults, c.faults...).Err(); err != nil {
		return nil, c.warnings.Sorted(), err
	}
	return fleet, c.warnings.Sorted(), nil
}
