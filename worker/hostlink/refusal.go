package hostlink

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
)

// ErrNoSupervisor is returned by calls that do not wait for a supervisor when
// there is none.
var ErrNoSupervisor = errors.New("no supervisor answers")

// RefusedError is the error of a call that the supervisor has refused.
type RefusedError struct {
	// Code is a code of the guest interface.
	Code string
	// Message is one sentence.
	Message string
	// Limit and Value are the limit that was met and what met it; both 0 when the
	// refusal is about none.
	Limit, Value int64
	// RetryAfter is 0 when trying again later is no use.
	RetryAfter time.Duration
}

func (r *RefusedError) Error() string { return fmt.Sprintf("refused (%s): %s", r.Code, r.Message) }

// refused returns the refusal that err carries, or nil.
func refused(err error) *RefusedError {
	for _, detail := range status.Convert(err).Details() {
		if r, ok := detail.(*hostv1.Refusal); ok {
			return &RefusedError{
				Code:       r.GetCode(),
				Message:    status.Convert(err).Message(),
				Limit:      r.GetLimit(),
				Value:      r.GetValue(),
				RetryAfter: time.Duration(r.GetRetryAfterMs()) * time.Millisecond,
			}
		}
	}
	return nil
}

// unanswered reports whether a call may have been cut off by the supervisor's
// death: an open call then fails as unavailable, or as canceled when the server
// still said so.
func unanswered(err error) bool {
	code := status.Code(err)
	return code == codes.Unavailable || code == codes.Canceled
}
