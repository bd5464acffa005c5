package manifest

import "strings"

// unread lists the keys inside blocks that are bound as a whole because this
// build does not act on them. A final * stands for anything beneath.
var unread = []string{
	"artifacts[].name", "artifacts[].version", "artifacts[].source", "artifacts[].local_source",
	"artifacts[].prompt_payload", "artifacts[].on_overflow", "artifacts[].config.*",
	"artifacts[].gateway", "artifacts[].gateway.endpoint", "artifacts[].gateway.api_key", "artifacts[].gateway.keyless",
	"artifacts[].capabilities", "artifacts[].capabilities.network", "artifacts[].capabilities.network.allow",
	"artifacts[].capabilities.network.unix_sockets", "artifacts[].capabilities.filesystem",
	"artifacts[].capabilities.filesystem.scope", "artifacts[].capabilities.filesystem.read_only",
	"artifacts[].capabilities.filesystem.records", "artifacts[].capabilities.state", "artifacts[].capabilities.state.store",
	"artifacts[].capabilities.task_io", "artifacts[].capabilities.task_io.read",
	"artifacts[].capabilities.conversation", "artifacts[].capabilities.conversation.read",

	"capabilities.peer_fetch.allow", "capabilities.peer_fetch.max_bytes", "capabilities.peer_fetch.timeout_secs",
	"capabilities.shell.allow", "capabilities.shell.baseline_env",
	"capabilities.shell.interpreter_runtime", "capabilities.shell.interpreter_runtime[].binary",
	"capabilities.shell.interpreter_runtime[].dirs", "capabilities.shell.interpreter_runtime[].dirs[].path",
	"capabilities.shell.interpreter_runtime[].dirs[].list_dir",
	"capabilities.shell.staged_runtime", "capabilities.shell.staged_runtime[].binary",
	"capabilities.shell.staged_runtime[].source_path", "capabilities.shell.staged_runtime[].pin",
	"capabilities.state.store", "capabilities.plan.submit",

	"network.authentication.scheme", "network.authentication.credentials",
	"network.authentication.credentials[].name", "network.authentication.credentials[].scopes",
	"context.max_tokens", "context.seed_budget", "context.seed_overflow_margin", "context.record", "context.record_store",
	"context.retain", "context.retain.max_messages", "context.retain.max_age",
	"observability.otel_endpoint", "observability.eval", "observability.eval.dataset_id", "observability.eval.scorers",
	"observability.eval.scorers[].*",
	"trace.retain.max_sessions", "trace.retain.max_age",

	"inference.transport", "inference.model", "inference.driver", "inference.driver.artifact", "inference.driver.config.*",
	"inference.command", "inference.max_turns", "inference.max_tokens", "inference.max_session_tokens",
	"inference.system_prompt", "inference.system_prompt_file", "inference.system_prompt_artifact",
	"inference.compaction", "inference.compaction.threshold", "inference.compaction.model", "inference.compaction.system_prompt",
	"inference.compaction.system_prompt_file", "inference.compaction.dump_summaries",
	"inference.tool_refresh", "inference.alternates.*",

	"lifecycle.keep_working.*", "lifecycle.done_check.command", "lifecycle.done_check.limit", "lifecycle.done_check.timeout_secs",

	"exports.files", "exports.files.root", "exports.files.mode", "exports.files.max_bytes",
	"exports.peer_files", "exports.peer_files.root", "exports.peer_files.max_ttl", "exports.peer_files.max_bytes",
	"exports.peer_tasks", "exports.peer_tasks.accept",
	"control.settings", "control.secrets", "control.agent_settings",
}

// roots are the blocks that unread and rules speak of. Elsewhere the binder knows
// the keys.
var roots = []string{
	"artifacts", "network", "context", "observability", "trace", "inference", "exports", "control",
	"capabilities.network", "capabilities.peer_fetch", "capabilities.shell",
	"capabilities.state", "capabilities.plan",
	"lifecycle.keep_working", "lifecycle.done_check",
}

// known reports whether a key that has no rule is one of the format, as far as it
// is for this file to know.
func known(pattern string) bool {
	inside := false
	for _, root := range roots {
		inside = inside || below(pattern, root)
	}
	if !inside {
		return true
	}
	for _, key := range unread {
		if block, anything := strings.CutSuffix(key, ".*"); anything && (pattern == block || below(pattern, block)) || pattern == key {
			return true
		}
	}
	return false
}
