package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAssemble(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(dir, "capsule.wat")
	require.NoError(t, os.WriteFile(source, []byte(`(module (func (export "_start")))`), 0o600))
	require.NoError(t, assemble(source))
	module, err := os.ReadFile(filepath.Join(dir, "capsule.wasm"))
	require.NoError(t, err)
	assert.Equal(t, "\x00asm\x01\x00\x00\x00", string(module[:8]))
}

func TestAssembleRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.wat")
	require.NoError(t, os.WriteFile(bad, []byte("(module (fu"), 0o600))
	for name, source := range map[string]string{
		"text that does not parse":      bad,
		"a missing file":                filepath.Join(dir, "none.wat"),
		"a file with another suffix":    filepath.Join(dir, "capsule.txt"),
		"a file that is its own output": filepath.Join(dir, "capsule.wasm"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.ErrorContains(t, assemble(source), filepath.Base(source))
			assert.NoFileExists(t, filepath.Join(dir, "bad.wasm"))
		})
	}
}
