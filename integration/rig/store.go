package rig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// Package is a capsule that a test puts together: its own manifest around a module of the repository.
type Package struct {
	Name string
	// Module is the folder of a capsule in the repository whose module it takes.
	Module string
	// Allow are the capsules it may delegate to, Env the variables it gets.
	Allow, Env []string
	// Manifest, when it is not empty, is the whole manifest, whatever the other fields say.
	Manifest string
	// Raw, when it is not nil, is the module.
	Raw []byte
}

// Store makes a folder with these packages, which goes away with the test.
func Store(t testing.TB, packages ...Package) string {
	t.Helper()
	store := Dir(t)
	for _, p := range packages {
		dir := filepath.Join(store, p.Name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "murmur.yaml"), p.manifest(t), 0o600))
		module := p.Raw
		if module == nil {
			var err error
			module, err = os.ReadFile(Path(p.Module + "/capsule.wasm"))
			require.NoError(t, err)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "capsule.wasm"), module, 0o600))
	}
	return store
}

func (p Package) manifest(t testing.TB) []byte {
	t.Helper()
	if p.Manifest != "" {
		return []byte(p.Manifest)
	}
	type allow struct {
		Allow []string `yaml:"allow,omitempty"`
	}
	var written struct {
		Name         string `yaml:"name"`
		Version      string `yaml:"version"`
		MurVersion   string `yaml:"mur_version"`
		Capabilities struct {
			Spawn allow `yaml:"spawn,omitempty"`
			Env   allow `yaml:"env,omitempty"`
		} `yaml:"capabilities"`
	}
	written.Name, written.Version, written.MurVersion = p.Name, "0.1.0", "0.8"
	written.Capabilities.Spawn.Allow, written.Capabilities.Env.Allow = p.Allow, p.Env
	text, err := yaml.Marshal(written)
	require.NoError(t, err)
	return text
}
