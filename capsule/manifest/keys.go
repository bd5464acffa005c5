package manifest

import (
	"slices"
	"strings"

	"rookery/capsule/strictyaml"
)

// rule is how this build treats a key that it does not act on yet.
type rule struct {
	// key is the path, with [] for any element of a list.
	key string
	// refused says that the key restricts something or changes what runs.
	refused bool
	// unless lists values that ask for what this build does anyway.
	unless []string
	// adds lists values of a refused key that only add something.
	adds []string
	// code is the fault's, when it is not CodeNotBuilt.
	code string
	// why completes the sentence.
	why string
}

// notKept completes the sentence about a limit.
const notKept = "this limit would not be kept"

// rules lists keys this build does not act on. A key inside a block that has a
// rule needs none of its own, but may have a stricter one.
var rules = []rule{
	{key: "config", refused: true, code: CodeInvalid, why: "there is no such key here: configuration belongs to an artifact"},
	{key: "artifacts", why: "no tool, driver or skill is started"},
	{key: "artifacts[].runtime", refused: true, unless: []string{"tool", "driver", "skill"}, why: "a hook may refuse calls, and hooks are not run by this build"},
	{key: "inference", refused: true, why: "agent capsules are not run by this build, only WebAssembly modules"},
	{key: "inference.endpoint", refused: true, code: CodeInvalid, why: "it was removed from the format: use the driver's gateway"},
	{key: "inference.api_key", refused: true, code: CodeInvalid, why: "it was removed from the format: use the driver's gateway"},

	{key: "capabilities.network.allow", why: "nothing is reachable"},
	{key: "capabilities.network.unix_sockets", unless: []string{"false"}, why: "no socket can be made"},
	{key: "capabilities.peer_fetch", why: "no peer's file can be fetched"},
	{key: "capabilities.filesystem.workdir_exec", unless: []string{"false"}, why: "nothing can be executed"},
	{key: "capabilities.filesystem.records", unless: []string{"false"}, why: "no records are mounted"},
	{key: "capabilities.shell", why: "no command can be run"},
	{key: "capabilities.shell.strip_env", refused: true, why: "it would be ignored"},
	{key: "capabilities.resources.max_processes", refused: true, why: notKept},
	{key: "capabilities.resources.max_open_files", refused: true, why: notKept},
	{key: "capabilities.resources.max_file_size_bytes", refused: true, why: notKept},
	{key: "capabilities.resources.cpu_seconds", refused: true, why: notKept},
	{key: "capabilities.resources.memory_bytes", refused: true, why: notKept},
	{key: "capabilities.resources.cgroup_memory_bytes", refused: true, why: notKept},
	{key: "capabilities.resources.cgroup_pids_max", refused: true, why: notKept},
	{key: "capabilities.resources.cgroup_cpu_percent", refused: true, why: notKept},
	{key: "capabilities.resources.cgroup_io_bytes_per_sec", refused: true, why: notKept},
	{key: "capabilities.state", why: "no state folder is mounted"},
	{key: "capabilities.plan", why: "no plan can be submitted"},
	{key: "capabilities.install", why: "nothing can be installed"},
	{key: "network.internal_port", why: "the port is the host's choice"},
	{key: "network.authentication", refused: true, why: "the door would be open"},
	{key: "context", why: "no conversation is kept"},
	{key: "observability", why: "no spans are sent and nothing is scored"},
	{key: "trace.capture", refused: true, unless: []string{"meta"}, adds: []string{"content"}, why: "the trace holds what meta asks for"},
	{key: "trace.retain", refused: true, why: "traces would be kept longer"},
	{key: "exports", why: "no files or tasks are served to others"},
	{key: "control", why: "there is no control surface"},

	{key: "lifecycle.queue_depth", refused: true, unless: []string{"1"}, why: "sessions work on one task"},
	{key: "lifecycle.input_timeout_secs", refused: true, why: "no input can be asked for"},
	{key: "lifecycle.conversation", refused: true, unless: []string{"stateless"}, why: "tasks share no conversation"},
	{key: "lifecycle.max_task_reopens", refused: true, unless: []string{"0", "1"}, why: "no hook reopens a task"},
	{key: "lifecycle.shell_grace_secs", refused: true, unless: []string{"10"}, why: "no command can be run"},
	{key: "lifecycle.deadline_notice_secs", refused: true, why: "no notice is given"},
	{key: "lifecycle.keep_working", refused: true, why: "a task ends with its run"},
	{key: "lifecycle.done_check", refused: true, why: "a task's end would not be checked"},
}

// judge goes through the keys of a manifest and says which of them this build
// does not act on or does not know. One sentence is enough for a block: what
// stands in one that is refused, or has the same rule, is not mentioned again.
func judge(document *strictyaml.Document) (warnings, faults strictyaml.Faults) {
	quiet := ""
	for _, key := range document.Keys() {
		pattern := generalise(key.Path)
		applied := find(pattern)
		switch {
		case applied == nil && !known(pattern):
			faults = append(faults, document.Fault(key.Path, CodeInvalid, "unknown key"))
		case applied == nil || quiet != "" && below(key.Path, quiet) || slices.Contains(applied.unless, key.Value):
		case applied.refused && !slices.Contains(applied.adds, key.Value):
			faults = append(faults, applied.fault(document, key.Path, "is refused"))
			quiet = key.Path
		default:
			warnings = append(warnings, applied.fault(document, key.Path, "is left out"))
		}
	}
	return warnings, faults
}

func (r *rule) fault(document *strictyaml.Document, path, treated string) strictyaml.Fault {
	if r.code != "" {
		return document.Fault(path, r.code, "%s", r.why)
	}
	return document.Fault(path, CodeNotBuilt, "this build does not act on this key, so it %s: %s", treated, r.why)
}

// find is the rule for a key.
func find(pattern string) *rule {
	for i := range rules {
		if rules[i].key == pattern {
			return &rules[i]
		}
	}
	return nil
}

// generalise turns "a[3].b" into "a[].b".
func generalise(path string) string {
	var out strings.Builder
	for {
		open := strings.IndexByte(path, '[')
		if open < 0 {
			return out.String() + path
		}
		end := strings.IndexByte(path[open:], ']')
		if end < 0 {
			return out.String() + path
		}
		out.WriteString(path[:open] + "[]")
		path = path[open+end+1:]
	}
}

// below reports whether a key lies inside a block.
func below(path, block string) bool {
	rest, inside := strings.CutPrefix(path, block)
	return inside && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "["))
}
