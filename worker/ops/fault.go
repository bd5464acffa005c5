package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rookery/worker/hostlink"
)

// opError is an op's error as the guest is told it.
type opError struct {
	Code    string
	Message string
	// RetryAfter is 0 when there is nothing to wait for.
	RetryAfter time.Duration
	// Limit is there for the codes of limits.
	Limit *limit
	// cause is for the worker's log; nil when there is nothing to say there.
	cause error
}

// limit is a limit and the value that met it.
type limit struct {
	Limit int64 `json:"limit"`
	Value int64 `json:"value"`
}

func (f *opError) Error() string { return f.Code + ": " + f.Message }

func badRequest(format string, args ...any) *opError {
	return &opError{Code: codeBadRequest, Message: fmt.Errorf(format, args...).Error()}
}

func tooLarge(value, most int64, format string, args ...any) *opError {
	return &opError{Code: codeTooLarge, Message: fmt.Sprintf(format, args...), Limit: &limit{Limit: most, Value: value}}
}

func canceled() *opError {
	return &opError{Code: codeCanceled, Message: "this capsule is being ended"}
}

// faultOf turns whatever a handler failed with into what the guest is told. What is
// no fault of the guest's is logged here and told in one word.
func (c *Calls) faultOf(ctx context.Context, op string, err error) *opError {
	var fault *opError
	var refused *hostlink.RefusedError
	switch {
	case errors.As(err, &fault):
		if fault.cause != nil {
			c.log.Error().Err(fault.cause).Str("op", op).Msg("an op failed")
		}
		return fault
	case errors.As(err, &refused):
		fault = &opError{Code: refused.Code, Message: refused.Message, RetryAfter: refused.RetryAfter}
		if strings.HasSuffix(refused.Code, "_limit") || refused.Limit != 0 {
			fault.Limit = &limit{Limit: refused.Limit, Value: refused.Value}
		}
		return fault
	case ctx.Err() != nil:
		return canceled()
	default:
		c.log.Error().Err(err).Str("op", op).Msg("an op failed")
		return &opError{Code: codeInternal, Message: "the host could not do this"}
	}
}
