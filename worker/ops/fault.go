package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rookery/worker/hostlink"
)

// Codes of the guest interface that the worker itself answers with. The supervisor
// has more.
const (
	CodeNotGranted = "not_granted"
	CodeUnknownOp  = "unknown_op"
	CodeBadRequest = "bad_request"
	CodeTooLarge   = "too_large"
	CodeCanceled   = "canceled"
	CodeNotFound   = "not_found"
	CodeIO         = "io_error"
	CodeInternal   = "internal"
)

// Fault is an op's error as the guest is told it.
type Fault struct {
	Code    string
	Message string
	// RetryAfter is 0 when there is nothing to wait for.
	RetryAfter time.Duration
	// Limit is there for the codes of limits.
	Limit *Limit
}

// Limit is a limit and the value that met it.
type Limit struct {
	Limit int64 `json:"limit"`
	Value int64 `json:"value"`
}

func (f *Fault) Error() string { return f.Code + ": " + f.Message }

func badRequest(format string, args ...any) *Fault {
	return &Fault{Code: CodeBadRequest, Message: fmt.Errorf(format, args...).Error()}
}

func canceled() *Fault {
	return &Fault{Code: CodeCanceled, Message: "this capsule is being ended"}
}

// faultOf turns whatever a handler failed with into what the guest is told. What is
// no fault of the guest's is logged here and told in one word.
func (c *Calls) faultOf(ctx context.Context, op string, err error) *Fault {
	var fault *Fault
	var refused *hostlink.Refused
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.As(err, &refused):
		fault = &Fault{Code: refused.Code, Message: refused.Message, RetryAfter: refused.RetryAfter}
		if strings.HasSuffix(refused.Code, "_limit") || refused.Limit != 0 {
			fault.Limit = &Limit{Limit: refused.Limit, Value: refused.Value}
		}
		return fault
	case ctx.Err() != nil:
		return canceled()
	default:
		c.log.Error().Err(err).Str("op", op).Msg("an op failed")
		return &Fault{Code: CodeInternal, Message: "the host could not do this"}
	}
}
