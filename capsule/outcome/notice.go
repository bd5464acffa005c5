package outcome

import (
	"fmt"
	"strings"

	"rookery/capsule/fence"
)

// Notice is one outcome as the task that delegated is told it.
type Notice struct {
	DelegationID string
	// Capsule and Version are what the delegation asked for.
	Capsule string
	Version string
	Status  Status
	// Body is what is fenced.
	Body string
}

// Recorded is the notice of a recorded outcome; result is its ResultBlock.
func Recorded(r Record, capsule, version, result string) Notice {
	return Notice{
		DelegationID: r.DelegationID,
		Capsule:      capsule,
		Version:      version,
		Status:       r.Status,
		Body:         r.MessageText() + "\n" + result,
	}
}

// Unrecorded is the notice of a delegation without a readable record: its status
// is unknown, why says what is known; result is its ResultBlock.
func Unrecorded(delegationID, capsule, version, why, result string) Notice {
	return Notice{
		DelegationID: delegationID,
		Capsule:      capsule,
		Version:      version,
		Status:       Unknown,
		Body:         why + "\n" + result,
	}
}

// Message is the text a task continues with: for each outcome a line of the
// runtime's own and the fenced body, a blank line between two. All of the body is
// fenced, because the child's words reach it through its answer and its detail.
func Message(notices []Notice) string {
	blocks := make([]string, len(notices))
	for i, notice := range notices {
		capsule := Bare(notice.Capsule)
		blocks[i] = fmt.Sprintf("[delegate-task] delegation %s to %s@%s ended %s:\n%s",
			notice.DelegationID, capsule, notice.Version, notice.Status,
			fence.Wrap(fence.DelegationSource(capsule), notice.Body))
	}
	return strings.Join(blocks, "\n\n")
}
