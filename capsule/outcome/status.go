package outcome

// Status is how a session or a delegation ended.
type Status string

const (
	// OK means that the session finished. Its own worker says so.
	OK Status = "ok"
	// Error means that the session ran and failed. Its own worker says so.
	Error Status = "error"
	// Crashed means that the process ended without a record. The supervisor says so.
	Crashed Status = "crashed"
	// Terminated means that somebody ended it. The supervisor says so.
	Terminated Status = "terminated"
	// Unknown is told of a delegation that has no readable record and that no
	// ledger knows any more. It is never written into a record.
	Unknown Status = "unknown"
)

// Recordable reports whether a record may carry this status.
func (s Status) Recordable() bool {
	switch s {
	case OK, Error, Crashed, Terminated:
		return true
	default:
		return false
	}
}

// Reporter is who wrote a record.
type Reporter string

const (
	// Child is the ended session's own worker.
	Child Reporter = "child"
	// Launcher is the host, for a child that could not report for itself.
	Launcher Reporter = "launcher"
)

// ResultState tells three ways of having no answer text apart.
type ResultState string

const (
	// ResultText is an answer with text.
	ResultText ResultState = "text"
	// ResultNone means that the child left no result file.
	ResultNone ResultState = "none"
	// ResultEmpty means that the child left a result file with nothing in it.
	ResultEmpty ResultState = "empty"
)
