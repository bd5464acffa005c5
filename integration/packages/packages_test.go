package packages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// answer is what the capsule stdout-answer prints.
const answer = "the answer is on stdout"

// packed makes an archive of a capsule of the misbehaving ones in a store, with `supervisor pack`, and returns its path.
func packed(t *testing.T, store, name string) string {
	t.Helper()
	dir := filepath.Join(store, name, "0.1.0")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, name+"-0.1.0.mur.zip")
	said := rig.Command(t, store, nil, "pack", filepath.Join(rig.Path(rig.Misbehave), name), "-o", path)
	require.Equal(t, 0, said.Code, said.Stderr)
	require.Contains(t, said.Stdout, "  "+path+"\n")
	return path
}

// tamper changes one byte in the middle of a file.
func tamper(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	raw[len(raw)/2] ^= 1
	require.NoError(t, os.WriteFile(path, raw, 0o600))
}

func TestAPackedCapsuleRunsAsARootAndAsAChild(t *testing.T) {
	t.Parallel()
	store := rig.Store(t, rig.Package{Name: "parent", Module: rig.Misbehave + "/parent", Allow: []string{"stdout-answer"}})
	packed(t, store, "stdout-answer")
	h := rig.Start(t, rig.Fleet{
		Store: []string{store},
		Capsules: []rig.Root{
			{Name: "stdout-answer", Task: "answer"},
			{Name: "parent", Task: rig.Plan{Delegations: []rig.Make{{Capsule: "stdout-answer", Task: "answer", Wait: true}}}.Text()},
		},
	}, rig.Flags("--once"))
	assert.Equal(t, 0, h.Exit(time.Minute))
	h.NothingLeft()
	root, parent, both := strings.Cut(h.Stdout(), "== parent ")
	require.True(t, both, h.Stdout())
	assert.Contains(t, root, " ok\n"+answer)
	assert.Contains(t, parent, `"result": "`+answer+`\n"`)
}

func TestATamperedPackageIsRefusedWithOneSentence(t *testing.T) {
	t.Parallel()
	store := rig.Dir(t)
	packed(t, store, "exit3")
	path := packed(t, store, "stdout-answer")
	fleet := filepath.Join(store, "fleet.yaml")
	text := fmt.Sprintf("version: 1\nstate_dir: %s\nstore: [%s]\ncapsules: [{name: stdout-answer, version: 0.1.0, task: t}]\n", rig.Dir(t), store)
	require.NoError(t, os.WriteFile(fleet, []byte(text), 0o600))
	said := rig.Command(t, store, nil, "validate", "-f", fleet)
	require.Equal(t, 0, said.Code, said.Stdout)

	tamper(t, path)
	said = rig.Command(t, store, nil, "validate", "-f", fleet)
	assert.Equal(t, 1, said.Code)
	lines := strings.Split(strings.TrimSpace(said.Stdout), "\n")
	require.Len(t, lines, 2, "the package, and the root that has none: %s", said.Stdout)
	assert.Contains(t, lines[0], "package "+path+": its SHA-256 begins with ")
	assert.Contains(t, lines[0], "stdout-answer-0.1.0.sha256 says ")
	assert.Contains(t, lines[1], "there is no capsule stdout-answer 0.1.0 in the store")

	said = rig.Command(t, store, []string{"HOME=" + store}, "up", "--once", "-f", fleet)
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, "its SHA-256 begins with ")
	assert.NotContains(t, said.Stdout, answer)

	// What is sound beside it still runs.
	require.NoError(t, os.WriteFile(fleet, []byte(strings.ReplaceAll(text, "name: stdout-answer", "name: exit3")), 0o600))
	said = rig.Command(t, store, []string{"HOME=" + store}, "up", "--once", "-f", fleet)
	assert.Equal(t, 1, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, "exit 3")
}

func TestCompileTakesAnArchiveAndAStoreOfThem(t *testing.T) {
	t.Parallel()
	store, state := rig.Dir(t), rig.Dir(t)
	path := packed(t, store, "stdout-answer")
	for _, what := range []string{path, store} {
		said := rig.Command(t, store, nil, "--state", state, "compile", what)
		require.Equal(t, 0, said.Code, said.Stderr)
		assert.Equal(t, "stdout-answer 0.1.0\n", said.Stdout)
	}
	modules, err := filepath.Glob(filepath.Join(state, "modules", "*.cwasm"))
	require.NoError(t, err)
	assert.Len(t, modules, 1, "one module, compiled once")

	tamper(t, path)
	said := rig.Command(t, store, nil, "--state", state, "compile", path)
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, "package "+path+": its SHA-256 begins with ")
}

func TestAPackedCapsuleIsRunAsItWasVerified(t *testing.T) {
	t.Parallel()
	store := rig.Store(t, rig.Package{Name: "parent", Module: rig.Misbehave + "/parent", Allow: []string{"stdout-answer"}})
	path := packed(t, store, "stdout-answer")
	h := rig.Up(t, rig.Fleet{Store: []string{store}, Capsules: []rig.Root{{
		Name: "parent", Task: rig.Plan{Delegations: []rig.Make{
			{Capsule: "stdout-answer", Task: "first", Wait: true}, {Capsule: "stdout-answer", Task: "second", Wait: true},
		}}.Text(),
	}}})
	// The archive may go: its module was verified, and its native code is in the state folder that the test began with.
	require.NoError(t, os.Remove(path))
	told := h.Told(h.RootEnded("parent", time.Minute))
	require.Len(t, told.Delegations, 2)
	for _, d := range told.Delegations {
		require.NotNil(t, d.Outcome)
		assert.Equal(t, answer, strings.TrimSpace(d.Outcome.Result))
	}
	require.Equal(t, 0, h.Stop())
}
