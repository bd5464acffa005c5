package delegation

import (
	"fmt"
	"time"
)

// The codes of the guest interface that a delegation can be refused with.
const (
	CodeNotGranted     = "not_granted"
	CodeBadRequest     = "bad_request"
	CodeUnknownCapsule = "unknown_capsule"
	CodeUnknownVersion = "unknown_version"
	CodeDepth          = "depth_limit"
	CodeChildren       = "children_limit"
	CodeHost           = "host_limit"
	CodeTotal          = "total_limit"
	CodeRate           = "rate_limit"
	CodeEnvelope       = "envelope"
	CodeShuttingDown   = "shutting_down"
	CodeNotFound       = "not_found"
)

// Refusal is why something a capsule asked for was not done. It is an answer, not a fault of the host: its text is for the capsule
// and says no more than its code.
type Refusal struct {
	Code    string
	Message string
	// Limit and Value are set for the codes that name a limit.
	Limit, Value int64
	// RetryAfter is when a repeat may succeed; zero when nobody knows.
	RetryAfter time.Duration
}

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

func overLimit(code string, limit, value int, format string, args ...any) *Refusal {
	r := refuse(code, format, args...)
	r.Limit, r.Value = int64(limit), int64(value)
	return r
}
