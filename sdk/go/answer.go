package murmur

import "sync/atomic"

// answered is set when the host has taken an answer other than the file.
var answered atomic.Bool

// Progress says how far the task is, in one line for people. Of several in a short time the last one is told: to
// whoever looks at the task, and to the capsule that delegated it.
func Progress(message string) error {
	return call("progress", progressRequest{Message: message}, &struct{}{})
}

// ArtifactRequest is a piece of the answer.
type ArtifactRequest struct {
	// ID says which artifact; empty: a new one. One that was given before is replaced, or with Append continued.
	ID   string
	Name string
	// Parts are what is given, at least one.
	Parts []Part
	// Append puts the parts behind those that the artifact has.
	Append bool
	// Last says that nothing more will be appended.
	Last bool
}

// Artifact gives a piece of the answer away and returns the artifact's id. The host keeps it whatever happens later. The
// text of all artifacts is the answer of a capsule that leaves no file, see Answer, and says nothing with Finish.
func Artifact(r ArtifactRequest) (id string, err error) {
	var given struct {
		ID string `json:"artifact_id"`
	}
	err = call("artifact", r.wire(), &given)
	if err == nil {
		answered.Store(true)
	}
	return given.ID, err
}

// State is how a task ends.
type State string

// The states that Finish takes.
const (
	Completed State = "completed" // its outcome has StatusOK
	Failed    State = "failed"    // StatusError, the detail begins with "failed"
	Rejected  State = "rejected"  // StatusError, the detail begins with "rejected"
)

// Finish says how the task ends, once. From then on the exit code says nothing more; only a trap still does. The text of
// the parts is the answer of a capsule that leaves no file, and the reason of a task that failed or was rejected. After it
// nothing can be given or delegated.
func Finish(state State, parts ...Part) error {
	err := call("finish", finishRequest{State: state, Parts: parts}, &struct{}{})
	if err == nil {
		answered.Store(true)
	}
	return err
}

type progressRequest struct {
	Message string `json:"message"`
}

type artifactRequest struct {
	ID     string `json:"artifact_id,omitempty"`
	Name   string `json:"name,omitempty"`
	Parts  []Part `json:"parts"`
	Append bool   `json:"append,omitempty"`
	Last   bool   `json:"last,omitempty"`
}

type finishRequest struct {
	State State  `json:"state"`
	Parts []Part `json:"parts,omitempty"`
}

func (r ArtifactRequest) wire() artifactRequest {
	w := artifactRequest(r)
	if w.Parts == nil {
		w.Parts = []Part{} // for the host to refuse
	}
	return w
}
