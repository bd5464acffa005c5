package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox/wat"
)

const (
	quiet   = `(module (memory (export "memory") 1) (func (export "_start")))`
	trapped = `(module (memory (export "memory") 1) (func (export "_start") (unreachable)))`
)

// suite makes a folder of programs from their text.
func suite(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range programs {
		module, err := wat.ToWasm(text)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".wasm"), module, 0o600))
	}
	return dir
}

func TestRunCountsVerdicts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), suite(t, map[string]string{"a": quiet, "b": quiet}), &out))
	assert.Contains(t, out.String(), "2 passed, 0 failed")

	out.Reset()
	err := run(t.Context(), suite(t, map[string]string{"good": quiet, "bad": trapped}), &out)
	assert.ErrorContains(t, err, "1 of 2 programs failed")
	assert.Regexp(t, `(?s)FAIL .*bad\.wasm: .*1 passed, 1 failed`, out.String())
}

func TestRunRefusesAFolderWithoutPrograms(t *testing.T) {
	t.Parallel()
	assert.Error(t, run(t.Context(), t.TempDir(), &bytes.Buffer{}))
	assert.Error(t, run(t.Context(), filepath.Join(t.TempDir(), "none"), &bytes.Buffer{}))
}
