package manifest_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/manifest"
	"rookery/capsule/strictyaml"
)

// head is what every capsule must have.
const head = "name: worker\nversion: 0.1.0\n"

func lines(faults []strictyaml.Fault) []string {
	out := []string{}
	for _, fault := range faults {
		out = append(out, strings.TrimPrefix(fault.Error(), "murmur.yaml:"))
	}
	return out
}

// parse returns a manifest's warnings and faults as text.
func parse(t *testing.T, text string) (warnings, faults []string) {
	t.Helper()
	parsed, warned, err := manifest.Parse("murmur.yaml", []byte(text))
	var refused strictyaml.Faults
	if err != nil {
		require.ErrorAs(t, err, &refused)
		require.Nil(t, parsed)
	}
	return lines(warned), lines(refused)
}

func TestASmallManifestHasTheFormatsDefaults(t *testing.T) {
	t.Parallel()
	parsed, warnings, err := manifest.Parse("murmur.yaml", []byte(head))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, &manifest.Manifest{
		Name: "worker", Version: "0.1.0",
		Capabilities: manifest.Capabilities{
			Limits:      manifest.Limits{MemoryBytes: 536870912, TableElements: 100000, Instances: 1000, Deadline: 600 * time.Second},
			Resources:   manifest.Resources{WorkdirMaxBytes: 10 << 30, WorkdirMaxFiles: 100000},
			Containment: manifest.Advisory,
		},
		Lifecycle: manifest.Lifecycle{TaskAcceptance: "single", AfterTask: "exit", DelegationDeadline: 600 * time.Second},
	}, parsed)
	assert.False(t, parsed.MaySpawn("worker"))
}

func TestEverythingThisBuildActsOnIsRead(t *testing.T) {
	t.Parallel()
	parsed, warnings, err := manifest.Parse("murmur.yaml", []byte(head+`mur_version: 0.8.0
requires_files: [a.txt, ./a.txt, docs//b.md]
capabilities:
  spawn: {allow: [counter, local/helper]}
  env: {allow: [REGION, _x1]}
  limits: {memory_bytes: 64Mi, table_elements: 10, instances: 2, deadline_seconds: 30}
  filesystem: {scope: data/./in/, read_only: [keep/, ./keep, a//b, .]}
  resources: {workdir_max_bytes: 1Mi, workdir_max_files: 5}
  containment: advisory
lifecycle: {task_acceptance: single, after_task: exit, delegation_deadline_secs: 60, queue_depth: 1, conversation: stateless}
`))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, &manifest.Manifest{
		Name: "worker", Version: "0.1.0", MurVersion: "0.8.0", RequiresFiles: []string{"a.txt", "docs/b.md"},
		Capabilities: manifest.Capabilities{
			SpawnAllow: []string{"counter", "local/helper"}, EnvAllow: []string{"REGION", "_x1"},
			Limits:      manifest.Limits{MemoryBytes: 64 << 20, TableElements: 10, Instances: 2, Deadline: 30 * time.Second},
			Filesystem:  manifest.Filesystem{Scope: "data/in", ReadOnly: []string{"keep", "a/b", "."}},
			Resources:   manifest.Resources{WorkdirMaxBytes: 1 << 20, WorkdirMaxFiles: 5},
			Containment: manifest.Advisory,
		},
		Lifecycle: manifest.Lifecycle{TaskAcceptance: "single", AfterTask: "exit", DelegationDeadline: time.Minute},
	}, parsed)
	assert.True(t, parsed.MaySpawn("counter"))
	assert.True(t, parsed.MaySpawn("helper"), "by its bare name")
	assert.False(t, parsed.MaySpawn("local/helper"))
	assert.False(t, parsed.MaySpawn("count"))
}

func TestSeveralFaultsAreReportedAtOnceWithLineFieldAndCode(t *testing.T) {
	t.Parallel()
	_, faults := parse(t, `name: Worker_1
version: latest
nmae: x
capabilities:
  env:
    allow: [GITHUB_TOKEN, "a b"]
  limits:
    memory_bytes: 0
    deadline_seconds: soon
  containment: sealed
lifecycle:
  task_acceptance: queue
  after_task: stay
  delegation_deadline_secs: -1
`)
	assert.Equal(t, []string{
		`1:7: name: "Worker_1" is not a name: use a-z, 0-9 and -, no - at either end, at most 100 characters (E-BLD-001)`,
		`2:10: version: "latest" names no exact version (E-REG-004)`,
		`3:1: nmae: unknown key; known here are artifacts, capabilities, config, context, control, exports, inference, lifecycle, mur_version, name, network, observability, requires_files, trace, version (E-MAN-003)`,
		`6:13: capabilities.env.allow[0]: "GITHUB_TOKEN" looks like a credential (GITHUB_TOKEN); a capsule gets none by its environment (E-CAP-016)`,
		`6:27: capabilities.env.allow[1]: "a b" is not the name of a variable (E-MAN-003)`,
		`8:19: capabilities.limits.memory_bytes: 0 is not above zero (E-MAN-003)`,
		`9:23: capabilities.limits.deadline_seconds: this must be a whole number, not a text (E-MAN-003)`,
		`10:16: capabilities.containment: sealed is not reached by this build, only advisory (E-CAP-003)`,
		`12:20: lifecycle.task_acceptance: queue is not built yet, only single (not_built)`,
		`13:15: lifecycle.after_task: "stay" is not one of exit, sleep (E-MAN-003)`,
		`14:29: lifecycle.delegation_deadline_secs: -1 is not above zero (E-MAN-003)`,
	}, faults)
}

func TestEveryKeyOfTheFormatIsKnownAndTreatedByItsEffect(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/full.yaml")
	require.NoError(t, err)
	_, warned, err := manifest.Parse("murmur.yaml", text)
	var refused strictyaml.Faults
	require.ErrorAs(t, err, &refused)
	fields := func(faults []strictyaml.Fault) []string {
		out := []string{}
		for _, fault := range faults {
			assert.NotContains(t, fault.Message, "unknown key")
			out = append(out, fault.Field+" "+fault.Code)
		}
		return out
	}
	assert.Equal(t, []string{
		"config E-MAN-003",
		"artifacts[1].runtime not_built",
		"capabilities.shell.strip_env not_built",
		"capabilities.resources.max_processes not_built",
		"capabilities.resources.max_open_files not_built",
		"capabilities.resources.max_file_size_bytes not_built",
		"capabilities.resources.cpu_seconds not_built",
		"capabilities.resources.memory_bytes not_built",
		"capabilities.resources.cgroup_memory_bytes not_built",
		"capabilities.resources.cgroup_pids_max not_built",
		"capabilities.resources.cgroup_cpu_percent not_built",
		"capabilities.resources.cgroup_io_bytes_per_sec not_built",
		"capabilities.containment E-CAP-003",
		"capabilities.spawn.allow E-MAN-003",
		"network.authentication not_built",
		"trace.retain not_built",
		"inference not_built",
		"lifecycle.task_acceptance not_built",
		"lifecycle.after_task not_built",
		"lifecycle.queue_depth not_built",
		"lifecycle.input_timeout_secs not_built",
		"lifecycle.conversation not_built",
		"lifecycle.max_task_reopens not_built",
		"lifecycle.shell_grace_secs not_built",
		"lifecycle.deadline_notice_secs not_built",
		"lifecycle.keep_working not_built",
		"lifecycle.done_check not_built",
	}, fields(refused))
	assert.Equal(t, []string{
		"artifacts not_built",
		"capabilities.network.allow not_built",
		"capabilities.network.unix_sockets not_built",
		"capabilities.peer_fetch not_built",
		"capabilities.filesystem.workdir_exec not_built",
		"capabilities.filesystem.records not_built",
		"capabilities.shell not_built",
		"capabilities.state not_built",
		"capabilities.plan not_built",
		"capabilities.install not_built",
		"network.internal_port not_built",
		"context not_built",
		"observability not_built",
		"trace.capture not_built",
		"exports not_built",
		"control not_built",
	}, fields(warned))
}

func TestUnknownKeysAreFaultsAtAnyDepth(t *testing.T) {
	t.Parallel()
	for _, block := range []string{
		"artifacts: [{nmae: x}]", "artifacts: [{capabilities: {shell: {}}}]", "artifacts: [{gateway: {key: x}}]",
		"capabilities: {spwan: {allow: [a]}}", "capabilities: {spawn: {alow: [a]}}", "capabilities: {limits: {memory: 1}}",
		"capabilities: {network: {deny: []}}", "capabilities: {shell: {interpreter_runtime: [{dirs: [{list: true}]}]}}",
		"network: {port: 1}", "context: {retain: {max: 1}}", "trace: {caputre: none}", "exports: {peer_tasks: {acept: true}}",
		"lifecycle: {after_tasks: exit}", "control: {setting: []}", "observability: {eval: {scorer: []}}",
	} {
		_, faults := parse(t, head+block+"\n")
		require.Len(t, faults, 1, block)
		assert.Contains(t, faults[0], "unknown key", block)
		assert.True(t, strings.HasSuffix(faults[0], "(E-MAN-003)"), faults[0])
	}
}

func TestARestrictionBehindAnAliasIsRefusedToo(t *testing.T) {
	t.Parallel()
	_, faults := parse(t, head+"artifacts: [{config: &free {strip_env: [X]}}]\ncapabilities: {shell: *free}\n")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0], "capabilities.shell.strip_env: this build does not act on this key, so it is refused")
}

func TestValuesThatAskForWhatIsDoneAnywayAreQuiet(t *testing.T) {
	t.Parallel()
	warnings, faults := parse(t, head+`capabilities: {network: {unix_sockets: false}, filesystem: {workdir_exec: false}, containment: advisory}
trace: {capture: meta}
lifecycle: {queue_depth: 1, conversation: stateless, max_task_reopens: 1, shell_grace_secs: 10}
`)
	assert.Empty(t, warnings)
	assert.Empty(t, faults)
}

func TestARestrictionIsRefusedAndAnAdditionOnlyWarnedOf(t *testing.T) {
	t.Parallel()
	warnings, faults := parse(t, head+"trace: {capture: none}\n")
	assert.Empty(t, warnings)
	assert.Equal(t, []string{"3:18: trace.capture: this build does not act on this key, so it is refused: the trace holds what meta asks for (not_built)"}, faults)

	warnings, faults = parse(t, head+"trace: {capture: content}\n")
	assert.Equal(t, []string{"3:18: trace.capture: this build does not act on this key, so it is left out: the trace holds what meta asks for (not_built)"}, warnings)
	assert.Empty(t, faults)
}

func TestNamesAreCheckedAsAPackagesNameIs(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"worker": true, "a": true, "a-b-1": true, strings.Repeat("a", 100): true,
		"-a": false, "a-": false, "A": false, "a_b": false, "a/b": false, "..": false, "a b": false, "é": false, strings.Repeat("a", 101): false,
	} {
		_, faults := parse(t, "name: \""+name+"\"\nversion: 0.1.0\n")
		if good {
			assert.Empty(t, faults, name)
			continue
		}
		require.Len(t, faults, 1, name)
		assert.Contains(t, faults[0], "(E-BLD-001)")
	}
}

func TestVersionsAreExactAndSafeInAFileName(t *testing.T) {
	t.Parallel()
	for version, good := range map[string]bool{
		"0.1.0": true, "1": true, "1.0.0-rc.1+x": true, "v2": true,
		"": false, "latest": false, "stable": false, "edge": false, "..": false, ".1": false, "1/2": false, "1 2": false, "*": false, "^1.0": false, strings.Repeat("1", 65): false,
	} {
		assert.Equal(t, good, manifest.ExactVersion(version), version)
	}
	_, faults := parse(t, "name: a\nversion: 0.1\n")
	assert.Equal(t, []string{"2:10: version: this must be a text (quote it), not a number (E-MAN-003)"}, faults)
}

func TestAManifestWithoutNameAndVersionSaysBoth(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "mur_version: 0.8.0\n"} {
		_, faults := parse(t, text)
		assert.Equal(t, []string{"1:1: name: a capsule needs a name (E-MAN-002)", "1:1: version: a capsule needs a version (E-MAN-002)"}, faults)
	}
}

func TestAManifestThatIsNotYAMLHasOneFault(t *testing.T) {
	t.Parallel()
	_, faults := parse(t, "name: [a\n")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0], "(E-MAN-001)")
}

func TestVariablesThatHoldCredentialsAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"AWS_REGION", "OPENAI_API_KEY", "GH_TOKEN", "GITHUB_TOKEN", "DOCKER_HOST", "KUBECONFIG", "NPM_TOKEN", "PYPI_TOKEN", "CARGO_REGISTRY_TOKEN",
		"aws_profile", "MY_SECRET", "DB_PASSWORD", "X_PRIVATE_KEY", "SSH_AUTH_SOCK", "GOOGLE_APPLICATION_CREDENTIALS",
	} {
		_, faults := parse(t, head+"capabilities: {env: {allow: ["+name+"]}}\n")
		require.Len(t, faults, 1, name)
		assert.Contains(t, faults[0], "(E-CAP-016)")
	}
}

func TestVariablesTheHostSetsItselfAreWarnedOf(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"PATH", "HOME", "MURMUR_SPAWNER", "MURMUR_ROOST_URL"} {
		warnings, faults := parse(t, head+"capabilities: {env: {allow: ["+name+"]}}\n")
		assert.Empty(t, faults)
		require.Len(t, warnings, 1, name)
		assert.Contains(t, warnings[0], "(no_effect)")
	}
	warnings, faults := parse(t, head+"capabilities: {env: {allow: [REGION, PATHS, HOMEPAGE, TOKEN_COUNT, MONKEY]}}\n")
	assert.Empty(t, faults)
	assert.Empty(t, warnings)
}

func TestNamesToSpawnAreChecked(t *testing.T) {
	t.Parallel()
	_, faults := parse(t, head+"capabilities: {spawn: {allow: [worker, local/worker, \"*\", a/b/c, /x, Worker]}}\n")
	require.Len(t, faults, 4)
	for i, fault := range faults {
		assert.Contains(t, fault, "is not a capsule's name", i)
	}
}

func TestADeadlineThatOverflowsIsRefused(t *testing.T) {
	t.Parallel()
	_, faults := parse(t, head+"capabilities: {limits: {deadline_seconds: 9223372037}}\nlifecycle: {delegation_deadline_secs: 9223372037}\n")
	assert.Len(t, faults, 2)
	_, faults = parse(t, head+"capabilities: {limits: {deadline_seconds: 9223372036}}\n")
	assert.Empty(t, faults)
}

func TestPathsOfTheFilesystemBlockStayBeneath(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{
		"a": "", "a/b": "", ".": "", "./a": "", "a/.hidden": "", "...": "", "a..b": "", strings.Repeat("é", 127): "",
		"": "it is empty", "/": "it is absolute", "/a": "it is absolute", "..": "it climbs", "../a": "it climbs", "a/../..": "it climbs",
		"a/../b": "it climbs", "a/..": "it climbs", "a\\0b": "it holds what no path should", "a\\nb": "it holds what no path should",
		strings.Repeat("a", 256): "a name in it has 256 bytes, the limit is 255", strings.Repeat("a/", 513): "it has 1026 bytes, the limit is 1024",
	} {
		_, scope := parse(t, head+"capabilities: {filesystem: {scope: \""+name+"\"}}\n")
		_, readOnly := parse(t, head+"capabilities: {filesystem: {read_only: [ok, \""+name+"\"]}}\n")
		if why == "" {
			assert.Empty(t, scope, name)
			assert.Empty(t, readOnly, name)
			continue
		}
		require.Len(t, scope, 1, name)
		assert.Contains(t, scope[0], "capabilities.filesystem.scope: ")
		assert.True(t, strings.HasSuffix(scope[0], why+" (E-CAP-002)"), scope[0])
		require.Len(t, readOnly, 1, name)
		assert.Contains(t, readOnly[0], "capabilities.filesystem.read_only[1]: ")
		assert.True(t, strings.HasSuffix(readOnly[0], why+" (E-CAP-012)"), readOnly[0])
	}
	_, faults := parse(t, head+"capabilities: {filesystem: {read_only: ["+strings.Repeat("a,", 65)+"]}}\n")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0], "65 entries, the limit is 64 (E-CAP-012)")
}

func TestLimitsOfTheWorkFolderAreAboveZero(t *testing.T) {
	t.Parallel()
	_, faults := parse(t, head+"capabilities: {resources: {workdir_max_bytes: 0, workdir_max_files: -1}}\n")
	assert.Equal(t, []string{
		"3:47: capabilities.resources.workdir_max_bytes: 0 is not above zero (E-MAN-003)",
		"3:69: capabilities.resources.workdir_max_files: -1 is not above zero (E-MAN-003)",
	}, faults)
}

func FuzzAManifestIsReadOrRefused(f *testing.F) {
	full, err := os.ReadFile("testdata/full.yaml")
	require.NoError(f, err)
	for _, seed := range []string{head, string(full), "capabilities: &c {env: {allow: [*c]}}", "artifacts: [[[]]]", "\"a[\": 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, _, err := manifest.Parse("murmur.yaml", data)
		if err != nil {
			var faults strictyaml.Faults
			assert.ErrorAs(t, err, &faults)
			assert.NotEmpty(t, faults)
			assert.Nil(t, parsed)
			return
		}
		assert.True(t, manifest.ExactVersion(parsed.Version))
		assert.NotContains(t, parsed.Name, "/")
		assert.Positive(t, parsed.Capabilities.Limits.MemoryBytes)
		assert.Positive(t, parsed.Capabilities.Limits.Deadline)
		assert.Positive(t, parsed.Lifecycle.DelegationDeadline)
	})
}
