package operator

import (
	"context"
	"errors"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"rookery/capsule/id"
	"rookery/supervisor/delegation"
	"rookery/supervisor/ledger"
)

// domain of every ErrorInfo.
const domain = "rookery"

// fault is a status with its ErrorInfo.
func fault(code codes.Code, reason, text string) error {
	st := status.New(code, text)
	if with, err := st.WithDetails(protoadapt.MessageV1Of(&errdetails.ErrorInfo{Reason: reason, Domain: domain})); err == nil {
		st = with
	}
	return st.Err()
}

// check refuses a request that breaks the rules written in the API.
func (s *Server) check(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := s.validate(req); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// checkStream is check for a call whose answer is a stream.
func (s *Server) checkStream(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return next(srv, &checked{stream, s})
}

type checked struct {
	grpc.ServerStream
	server *Server
}

func (c *checked) RecvMsg(m any) error {
	if err := c.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return c.server.validate(m)
}

func (s *Server) validate(req any) error {
	if m, ok := req.(proto.Message); ok && strings.HasPrefix(string(m.ProtoReflect().Descriptor().FullName()), "rookery.") {
		var broken *protovalidate.ValidationError
		switch err := s.valid.Validate(m); {
		case errors.As(err, &broken):
			return fault(codes.InvalidArgument, "INVALID_REQUEST", rules(broken))
		case err != nil:
			return fault(codes.Internal, "INTERNAL", "the request could not be checked: "+err.Error())
		}
	}
	return nil
}

// rules is every broken rule, one sentence.
func rules(v *protovalidate.ValidationError) string {
	var out []string
	for _, violation := range v.Violations {
		out = append(out, protovalidate.FieldPathString(violation.Proto.GetField())+": "+violation.Proto.GetMessage())
	}
	return strings.Join(out, "; ")
}

// resolve finds the one id that a full id or a suffix names.
func resolve(kind, query string, ids []string) (string, error) {
	full, err := id.Suffix(query, ids)
	switch {
	case err == nil:
		return full, nil
	case errors.Is(err, id.ErrNone):
		return "", fault(codes.NotFound, "NOT_FOUND", "there is no "+kind+" "+query)
	case errors.Is(err, id.ErrAmbiguous):
		return "", fault(codes.InvalidArgument, "AMBIGUOUS_ID", "more than one "+kind+" ends in "+query+": give more characters")
	default:
		return "", fault(codes.InvalidArgument, "INVALID_ID", kind+" "+query+": "+err.Error())
	}
}

// failure maps what the tree says to a status.
func failure(err error) error {
	var refused *delegation.Refusal
	switch {
	case errors.As(err, &refused) && refused.Code == delegation.CodeShuttingDown:
		return fault(codes.Aborted, "SHUTTING_DOWN", refused.Message)
	case errors.As(err, &refused):
		return fault(codes.ResourceExhausted, strings.ToUpper(refused.Code), refused.Message)
	case errors.Is(err, ledger.ErrNotFound):
		return fault(codes.NotFound, "NOT_FOUND", err.Error())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return status.FromContextError(err).Err()
	default:
		return fault(codes.Internal, "INTERNAL", err.Error())
	}
}
