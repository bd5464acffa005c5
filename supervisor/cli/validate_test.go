package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fleetOf makes a fleet file of one root whose module is given, and returns its path.
func fleetOf(t *testing.T, module string) string {
	t.Helper()
	dir := unpacked(t, "name: worker\nversion: 0.1.0\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "capsule.wasm"), []byte(module), 0o600))
	path := filepath.Join(dir, "fleet.yaml")
	require.NoError(t, os.WriteFile(path, []byte("version: 1\nstore: [.]\ncapsules:\n  - {name: worker, version: 0.1.0}\n"), 0o600))
	return path
}

// whole is a module that does nothing and can start.
const whole = "\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x07\x0a\x01\x06_start\x00\x00" + "\x0a\x04\x01\x02\x00\x0b"

func TestValidateFindsAStateFolderWhosePathIsTooLong(t *testing.T) {
	t.Parallel()
	path := fleetOf(t, whole)
	for state, code := range map[string]int{"/s": exitDone, "/" + strings.Repeat("s", 100): exitFailed} {
		e, out, errs := env(nil)
		assert.Equal(t, code, Run(t.Context(), e, []string{"validate", "-f", path, "--state", state}), errs.String())
		assert.Equal(t, code == exitFailed, strings.Contains(out.String(), "its path is 101 bytes long"), out.String())
	}
}

func TestValidateFindsModulesThatCannotStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ module, want string }{
		"one that can":      {whole, "no faults"},
		"one without start": {whole[:8], "it exports no function _start"},
		"one cut short":     {whole[:len(whole)-2], "ends in the middle of a section"},
	} {
		e, out, errs := env(nil)
		code := Run(t.Context(), e, []string{"validate", "-f", fleetOf(t, c.module)})
		assert.Equal(t, c.want == "no faults", code == exitDone, "%s: %s", name, errs.String())
		assert.Contains(t, out.String(), c.want, name)
	}
}
