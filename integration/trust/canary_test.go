package trust_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	murmur "rookery/sdk/go"
)

// canary is in every value that must go nowhere.
const canary = "canary-3f9a1c"

// hostile are variables that programs, runtimes and libraries like to read, besides those that look like secrets.
var hostile = []string{
	"PATH", "HOME", "USER", "SHELL", "LANG", "TMPDIR", "PWD", "LD_LIBRARY_PATH", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "SSL_CERT_FILE",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "DATABASE_URL", "SSH_AUTH_SOCK",
	"REGION", "GREETING", "SECRET", "MURMUR_SPAWNER", "MURMUR_SESSION_ID", "MURMUR_CAPSULE_URL", "MURMUR_TASK_ID", "ROOKERY_WORKER",
	"ROOKERY_FAILPOINT", "PLUGIN_UNIX_SOCKET_DIR", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_MIN_PORT", "PLUGIN_MULTIPLEX_GRPC", "PLUGIN_CLIENT_CERT",
	"GRPC_GO_LOG_SEVERITY_LEVEL", "WASMTIME_BACKTRACE_DETAILS", "RUST_LOG", "RUST_BACKTRACE", "GOTRACEBACK", "GOCOVERDIR", "a name with spaces", "",
}

// canaries gives each of them a value of its own.
func canaries() []string {
	var env []string
	for i, name := range hostile {
		env = append(env, fmt.Sprintf("%s=%s-%d", name, canary, i))
	}
	return env
}

// workerNames are all variables of a worker's environment.
var workerNames = []string{
	"GODEBUG", "GOMAXPROCS", "GOTRACEBACK", "PLUGIN_MAX_PORT", "PLUGIN_MIN_PORT", "PLUGIN_PROTOCOL_VERSIONS", "PLUGIN_UNIX_SOCKET_DIR", "ROOKERY_WORKER",
}

// guestNames are all variables of a delegated guest, before those that its manifest lets through.
var guestNames = []string{
	"MURMUR_CAPSULE_NAME", "MURMUR_CAPSULE_URL", "MURMUR_CAPSULE_VERSION", "MURMUR_CONTEXT_ID", "MURMUR_SESSION_ID", "MURMUR_SPAWNER", "MURMUR_TASK_ID",
}

func TestNothingOfTheSupervisorsEnvironmentGoesAnywhere(t *testing.T) {
	t.Parallel()
	open, err := os.Create(filepath.Join(rig.Dir(t), canary))
	require.NoError(t, err)
	t.Cleanup(func() { open.Close() })

	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "env-dump"}, {Capsule: "stderr-then-trap"}, {Capsule: "nobody"}}}
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{
		{Name: "parent", Task: plan.Text(), Env: map[string]string{"REGION": "eu", "GREETING": "hello"}},
		{Name: "long-parent"},
	}}, rig.Env(canaries()...), rig.Files(open), rig.Flags("-v"))
	told := h.Told(h.RootEnded("parent", rig.Soon))
	h.RunningChild("sleep")

	t.Run("a worker's environment is composed from nothing", func(t *testing.T) {
		workers := h.Workers()
		require.GreaterOrEqual(t, len(workers), 2)
		for _, pid := range workers {
			env, err := rig.Environ(pid)
			require.NoError(t, err)
			assert.Equal(t, workerNames, names(env))
			assert.NotContains(t, strings.Join(env, "\n"), canary)
		}
	})
	t.Run("a worker holds no file of the supervisor's", func(t *testing.T) {
		for _, pid := range h.Workers() {
			held, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
			require.NoError(t, err)
			require.NotEmpty(t, held)
			for _, fd := range held {
				target, _ := os.Readlink(fd)
				assert.NotContains(t, target, canary)
				assert.NotContains(t, target, "state.db")
			}
		}
	})
	t.Run("a guest has the names it is given and no others", func(t *testing.T) {
		answer := told.Outcomes()[told.Delegations[0].Started.DelegationID][0]
		require.Equal(t, murmur.StatusOK, answer.Status, answer.Detail)
		var seen struct {
			Args, Env []string
		}
		require.NoError(t, json.Unmarshal([]byte(answer.Result), &seen))
		assert.Equal(t, []string{"env-dump"}, seen.Args)
		assert.Equal(t, append(slices.Clone(guestNames), "REGION"), names(seen.Env), "GREETING is the parent's alone")
		assert.Contains(t, seen.Env, "REGION=eu")
		assert.NotContains(t, answer.Result, canary)
	})
	require.Equal(t, 0, h.Stop())
	t.Run("nothing is in what the supervisor said", func(t *testing.T) {
		assert.NotContains(t, h.Log(), canary)
		assert.NotContains(t, h.Stdout(), canary)
		assert.Contains(t, h.Log(), `"message":"up"`)
	})
	t.Run("nothing is in the state folder", func(t *testing.T) {
		files := 0
		require.NoError(t, filepath.WalkDir(h.State.Root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			files++
			text, err := os.ReadFile(path)
			assert.False(t, bytes.Contains(text, []byte(canary)), path)
			assert.NotContains(t, path, canary)
			return err
		}))
		assert.Greater(t, files, 20)
	})
	h.NothingLeft()
}

// names are the sorted names of an environment.
func names(env []string) []string {
	var all []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func TestAChildGetsOnlyWhatItsParentHasAndItsOwnManifestNames(t *testing.T) {
	t.Parallel()
	dumper := func(name string, env ...string) rig.Package {
		return rig.Package{Name: name, Module: rig.Misbehave + "/env-dump", Env: env}
	}
	employer := func(name string, env ...string) rig.Package {
		return rig.Package{Name: name, Module: rig.Misbehave + "/parent", Env: env, Allow: []string{"dump-both", "dump-none", "middle"}}
	}
	store := rig.Store(t,
		dumper("dump-both", "REGION", "GREETING"), dumper("dump-none"), employer("employer", "REGION", "GREETING", "UNSET"), employer("middle", "REGION", "GREETING"))
	through := rig.Plan{Delegations: []rig.Make{{Capsule: "dump-both"}}}
	plan := rig.Plan{Delegations: []rig.Make{{Capsule: "dump-both"}, {Capsule: "dump-none"}, {Capsule: "middle", Task: through.Text()}}}
	h := rig.Up(t, rig.Fleet{
		Store: []string{store},
		Capsules: []rig.Root{{
			Name: "employer", Task: plan.Text(), Env: map[string]string{"REGION": "eu", "GREETING": "hello there", "OTHER": canary},
		}},
	})
	told := h.Told(h.RootEnded("employer", rig.Soon))
	dumps := map[string][]string{}
	for _, d := range h.Delegations() {
		if d.GetCapsule() == "middle" {
			require.Equal(t, "ok", d.GetStatus(), d.GetDetail())
			continue
		}
		var seen struct{ Env []string }
		require.Equal(t, "ok", d.GetStatus(), d.GetDetail())
		require.NoError(t, json.Unmarshal([]byte(h.Answer(d.GetRecordsDir())), &seen))
		dumps[fmt.Sprintf("%s at %d", d.GetCapsule(), d.GetDepth())] = seen.Env
	}
	require.Len(t, dumps, 3, "%+v", told)
	for _, at := range []string{"dump-both at 1", "dump-both at 2"} {
		assert.Contains(t, dumps[at], "REGION=eu", at)
		assert.Contains(t, dumps[at], "GREETING=hello there", at)
		assert.NotContains(t, names(dumps[at]), "OTHER", at)
		assert.NotContains(t, names(dumps[at]), "UNSET", at)
	}
	assert.Equal(t, guestNames, names(dumps["dump-none at 1"]))
}
