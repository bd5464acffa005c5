package rig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// Fleet is a fleet file. Its keys are those of the format; what a test leaves out is left to the format's defaults.
type Fleet struct {
	Version       int            `yaml:"version"`
	StateDir      string         `yaml:"state_dir"`
	Store         []string       `yaml:"store"`
	Operator      map[string]any `yaml:"operator,omitempty"`
	Limits        map[string]any `yaml:"limits,omitempty"`
	OrphanTimeout string         `yaml:"orphan_timeout,omitempty"`
	Retention     map[string]any `yaml:"retention,omitempty"`
	Capsules      []Root         `yaml:"capsules"`
	Mounts        []Mount        `yaml:"mounts,omitempty"`
}

// Mount is a folder of the host that capsules of these names see.
type Mount struct {
	Host     string   `yaml:"host"`
	Guest    string   `yaml:"guest"`
	ReadOnly bool     `yaml:"read_only"`
	Capsules []string `yaml:"capsules"`
}

// Root is a capsule of the fleet. Its version is 0.1.0, that of all examples.
type Root struct {
	ID      string            `yaml:"id,omitempty"`
	Name    string            `yaml:"name"`
	Version string            `yaml:"version"`
	Task    string            `yaml:"task"`
	Workdir string            `yaml:"workdir,omitempty"`
	Env     map[string]string `yaml:"env,omitempty"`
	Restart map[string]any    `yaml:"restart,omitempty"`
}

// Stores of capsules, in the order in which a fleet that names none has them.
const (
	Misbehave = "examples/misbehave"
	Own       = "integration/testdata/capsules"
	Relay     = "examples/relay/capsules"
	// Hostile holds the guests of integration/sandbox.
	Hostile = "integration/sandbox/testdata/capsules"
)

// write makes the fleet file in dir, with its state folder beside it.
func (f Fleet) write(t testing.TB, dir string) string {
	t.Helper()
	f.Version = 1
	if f.StateDir == "" {
		f.StateDir = filepath.Join(dir, "s")
	}
	if f.Store == nil {
		f.Store = []string{Path(Misbehave), Path(Own)}
	}
	for i := range f.Capsules {
		if f.Capsules[i].Version == "" {
			f.Capsules[i].Version = "0.1.0"
		}
	}
	text, err := yaml.Marshal(f)
	require.NoError(t, err)
	path := filepath.Join(dir, "fleet.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
