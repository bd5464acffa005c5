package layout

// Names within run/h.
const (
	HostSockName = "host.sock"
	FDSockName   = "fd.sock"
)

// Names within a records folder.
const (
	// TraceFile is the session's trace, one JSON object a line.
	TraceFile = "trace.jsonl"
	// ResultsDir holds what the capsule answered. The capsule's own work folder has
	// a folder of this name, where it leaves its answer.
	ResultsDir = "out"
	// ResultFile is the answer of the latest task.
	ResultFile = "out/result.txt"
	// LogsDir holds the three logs.
	LogsDir = "logs"
	// GuestStdoutLog is what the capsule printed.
	GuestStdoutLog = "logs/guest.stdout.log"
	// GuestStderrLog is what the capsule printed as errors; its last lines explain
	// a crash.
	GuestStderrLog = "logs/guest.stderr.log"
	// WorkerLog is what the worker process itself printed.
	WorkerLog = "logs/worker.log"
)

// TaskResultFile is the answer of one task, kept when later ones replace
// ResultFile.
func TaskResultFile(taskID string) string { return "out/result_" + taskID + ".txt" }

// TaskArtifactsFile holds what one task has given away as artifacts, one JSON object a
// line. A last line that is not whole is what a crash has left.
func TaskArtifactsFile(taskID string) string { return "out/artifacts_" + taskID + ".jsonl" }

// Names within a runtime folder.
const (
	// RuntimeMount is the name under which the capsule sees its runtime folder.
	RuntimeMount = "murmur-runtime"
	// TaskFile is the task's text.
	TaskFile = "task.md"
	// AboutFile tells the capsule where it runs.
	AboutFile = "MURMUR.md"
	// ManifestFile is the capsule's manifest, also its name within a package.
	ManifestFile = "murmur.yaml"
	// ContextFile holds the earlier turns of the task's context.
	ContextFile = "context.json"
	// DelegationsDir holds whole answers that were cut on their way to the task.
	DelegationsDir = "delegations"
)
