package cli

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitNoHost = 3
)

// coded is an error that knows the exit code of the command it ends.
type coded struct {
	code int
	err  error
}

func (c *coded) Error() string { return c.err.Error() }
func (c *coded) Unwrap() error { return c.err }

// usage marks an error of the command line or of a file it names.
func usage(format string, args ...any) error {
	return &coded{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// failed marks work that was done and did not succeed.
func failed(format string, args ...any) error {
	return &coded{code: exitFailed, err: fmt.Errorf(format, args...)}
}

// quiet ends a command with a code and nothing more to say.
var errQuietFailure = &coded{code: exitFailed, err: errors.New("")}

// exitCode maps an error to the code of the process: what an operator call refused is the command's fault, what it could not do
// is the work's.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	var c *coded
	if errors.As(err, &c) {
		return c.code
	}
	s, ok := status.FromError(err)
	if !ok {
		return exitUsage
	}
	switch s.Code() {
	case codes.Unavailable:
		return exitNoHost
	case codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.Unimplemented, codes.PermissionDenied, codes.Unauthenticated:
		return exitUsage
	default:
		return exitFailed
	}
}

// sentence is what a person reads of an error: of an RPC's only its own words.
func sentence(err error) string {
	var c *coded
	if errors.As(err, &c) {
		return c.Error()
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.Unknown {
		return s.Message()
	}
	return err.Error()
}
