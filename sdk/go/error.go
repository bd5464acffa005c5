package murmur

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Code says why the host refused a call. A host may use codes that this list does not hold.
type Code string

// The codes of version 1 of the guest interface.
const (
	NotGranted      Code = "not_granted"      // the manifest does not grant this op
	UnknownOp       Code = "unknown_op"       // this host has no such op
	BadRequest      Code = "bad_request"      // the request is malformed or asks for something this host does not know
	TooLarge        Code = "too_large"        // the request is over 1 MiB
	Canceled        Code = "canceled"         // the capsule is being ended: 500 ms are left to leave an answer
	UnknownCapsule  Code = "unknown_capsule"  // not in spawn.allow, or not in the host's catalog
	UnknownVersion  Code = "unknown_version"  // no such version, or not an exact one
	DepthLimit      Code = "depth_limit"      // this capsule stands at the greatest depth there is
	ChildrenLimit   Code = "children_limit"   // as many children live as may: await one first
	HostLimit       Code = "host_limit"       // as many capsules live on the host as may
	TotalLimit      Code = "total_limit"      // the tree has started all the capsules it may
	RateLimit       Code = "rate_limit"       // too many starts in a short time: see Error.RetryAfter
	Envelope        Code = "envelope"         // the child's manifest asks for more than its parent has
	ShuttingDown    Code = "shutting_down"    // the host, or the tree that this capsule is part of, is ending
	NotFound        Code = "not_found"        // no such delegation of this capsule
	PeerRefused     Code = "peer_refused"     // another agent refused
	PeerUnreachable Code = "peer_unreachable" // another agent could not be reached
	OutcomeUnknown  Code = "outcome_unknown"  // whether it happened cannot be told
	IOError         Code = "io_error"         // a file could not be read or written
	Internal        Code = "internal"         // a fault of the host
)

// Error is a refusal by the host.
type Error struct {
	Op      string // the op that was refused, as the host names it: "delegate"
	Code    Code
	Message string // one sentence for people
	// RetryAfter is when the same call may succeed; 0: the host does not say.
	RetryAfter time.Duration
	// Limit and Value are the bound that was met and what was found, for the codes that end in _limit; otherwise 0.
	Limit, Value int64
}

// Error names the op, the code and the host's sentence.
func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("%s: %s", e.Op, e.Code)
	}
	return fmt.Sprintf("%s: %s: %s", e.Op, e.Code, e.Message)
}

// IsCode tells whether err is, or wraps, a refusal by the host with one of the codes.
func IsCode(err error, codes ...Code) bool {
	var refusal *Error
	return errors.As(err, &refusal) && slices.Contains(codes, refusal.Code)
}

// wireError is the "error" of a response.
type wireError struct {
	Code         Code   `json:"code"`
	Message      string `json:"message"`
	RetryAfterMS int64  `json:"retry_after_ms"`
	Data         struct {
		Limit int64 `json:"limit"`
		Value int64 `json:"value"`
	} `json:"data"`
}

func (w *wireError) typed(op string) *Error {
	return &Error{
		Op:         op,
		Code:       w.Code,
		Message:    w.Message,
		RetryAfter: time.Duration(w.RetryAfterMS) * time.Millisecond,
		Limit:      w.Data.Limit,
		Value:      w.Data.Value,
	}
}
