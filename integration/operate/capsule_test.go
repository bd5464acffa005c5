package operate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// empty is a module with a _start that does nothing.
var empty = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x07\x0a\x01\x06_start\x00\x00" + "\x0a\x04\x01\x02\x00\x0b")

// stranger is a module that imports nothing.nothing, of the type of _start.
var stranger = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x02\x13\x01\x07nothing\x07nothing\x00\x00" + "\x03\x02\x01\x00" +
	"\x07\x0a\x01\x06_start\x00\x01" + "\x0a\x04\x01\x02\x00\x0b")

// startless is a module without a _start.
var startless = []byte("\x00asm\x01\x00\x00\x00")

func TestAModuleThatWillNotDoIsACrashWithItsReasonAndTheOthersRun(t *testing.T) {
	t.Parallel()
	store := rig.Store(t,
		rig.Package{Name: "good", Raw: empty},
		rig.Package{Name: "stranger", Raw: stranger},
		rig.Package{Name: "startless", Raw: startless},
		rig.Package{Name: "cut", Raw: empty[:20]},
		rig.Package{Name: "employer", Module: rig.Misbehave + "/parent", Allow: []string{"good", "stranger", "startless", "cut"}},
	)
	wrong := map[string]string{
		"stranger":  "nothing",
		"startless": "_start",
		"cut":       "",
	}
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "good"}}}
	for name := range wrong {
		plan.Delegations = append(plan.Delegations, rig.Make{Capsule: name})
	}
	h := rig.Up(t, rig.Fleet{
		Store: []string{store}, Limits: map[string]any{"max_children": 10},
		Capsules: []rig.Root{{Name: "employer", Task: plan.Text()}},
	})
	told := h.Told(h.RootEnded("employer", rig.Soon))
	for _, made := range told.Delegations {
		require.NotNil(t, made.Started, "a child that fails to start is an outcome: %+v", made.Refused)
		outcomes := told.Outcomes()[made.Started.DelegationID]
		require.Len(t, outcomes, 1, made.Capsule)
		if made.Capsule == "good" {
			assert.Equal(t, "ok", string(outcomes[0].Status), outcomes[0].Detail)
			continue
		}
		assert.Contains(t, []string{"crashed", "error"}, string(outcomes[0].Status), made.Capsule)
		assert.Contains(t, outcomes[0].Detail, wrong[made.Capsule], made.Capsule)
		assert.NotContains(t, outcomes[0].Detail, h.Dir, "a path of the host is not a capsule's business")
		assert.Equal(t, outcomes[0].Detail, h.Completion(h.Delegation(made.Started.DelegationID)).Detail)
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestAPackageThatIsWrongIsSaidByValidateAndPassedOverByUp(t *testing.T) {
	t.Parallel()
	store := rig.Store(t,
		rig.Package{Name: "good", Raw: empty},
		rig.Package{Name: "unknown", Raw: empty, Manifest: "name: unknown\nversion: 0.1.0\nmur_version: \"0.8\"\ncolour: red\nsize: 3\n"},
		rig.Package{Name: "unbuilt", Raw: empty, Manifest: "name: unbuilt\nversion: 0.1.0\nmur_version: \"0.8\"\ncapabilities:\n  containment: sealed\n"},
		rig.Package{Name: "latest", Raw: empty, Manifest: "name: latest\nversion: latest\nmur_version: \"0.8\"\n"},
		rig.Package{Name: "secret", Raw: empty, Env: []string{"AWS_SECRET_ACCESS_KEY"}},
		rig.Package{Name: "component", Raw: []byte("\x00asm\x0d\x00\x01\x00")},
		rig.Package{Name: "text", Raw: []byte("(module)")},
		rig.Package{Name: "nothing", Raw: []byte{}},
		rig.Package{Name: "queue", Raw: empty, Manifest: "name: queue\nversion: 0.1.0\nmur_version: \"0.8\"\nlifecycle:\n  task_acceptance: queue\n"},
	)
	bare := filepath.Join(store, "bare")
	require.NoError(t, os.Mkdir(bare, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(bare, "murmur.yaml"), []byte("name: bare\nversion: 0.1.0\nmur_version: \"0.8\"\n"), 0o600))
	linked := filepath.Join(store, "linked")
	require.NoError(t, os.Mkdir(linked, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(linked, "murmur.yaml"), []byte("name: linked\nversion: 0.1.0\nmur_version: \"0.8\"\n"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(store, "good", "capsule.wasm"), filepath.Join(linked, "capsule.wasm")))

	a := place(t)
	a.write(t, "fleet.yaml", minimal+"store: ["+store+"]\ncapsules:\n- {name: good, version: 0.1.0}\n")
	said := a.run(t, "validate")
	assert.Equal(t, 1, said.Code)
	for _, text := range []string{
		"unknown/murmur.yaml:4:1: colour", "unknown/murmur.yaml:5:1: size", "unbuilt/murmur.yaml:5", "latest/murmur.yaml:2", "E-REG-004",
		"E-CAP-016", "AWS_SECRET_ACCESS_KEY", "queue/murmur.yaml:5", "bare", "linked",
		"this is a WebAssembly component", "this is WebAssembly text", "this is not a WebAssembly module",
	} {
		assert.Contains(t, said.Stdout, text)
	}
	assert.NotContains(t, said.Stdout, "good/")

	said = a.run(t, "up", "--once")
	assert.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, "== good ses_")
	assert.Contains(t, said.Stderr, "a package in the store cannot be used")

	for _, name := range []string{"unknown", "unbuilt", "secret", "queue", "bare", "linked", "component", "text", "nothing"} {
		a.write(t, "fleet.yaml", minimal+"store: ["+store+"]\ncapsules:\n- {name: "+name+", version: 0.1.0}\n")
		said = a.run(t, "up", "--once")
		assert.Equal(t, 2, said.Code, name)
		assert.Contains(t, said.Stderr, "there is no capsule "+name+" 0.1.0 in the store")
		assert.Contains(t, said.Stderr, "a package in the store cannot be used", "the reason stands above")
	}
}
