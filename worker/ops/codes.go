package ops

// Codes of the guest interface that the worker itself answers with. The supervisor has
// more.
const (
	codeNotGranted = "not_granted"
	codeUnknownOp  = "unknown_op"
	codeBadRequest = "bad_request"
	codeTooLarge   = "too_large"
	codeCanceled   = "canceled"
	codeNotFound   = "not_found"
	codeIO         = "io_error"
	codeInternal   = "internal"
)

// Code is one code of the guest interface.
type Code struct {
	Name string
	// Doc is what it means, for the author of a capsule.
	Doc string
	// Later says why nothing answers with it yet; empty for the others.
	Later string
}

// Codes are all codes of version 1 of the guest interface.
func Codes() []Code {
	const peers = "the ops that call other agents are not built yet"
	return []Code{
		{codeNotGranted, "The manifest does not grant this op.", ""},
		{codeUnknownOp, "This host has no such op.", ""},
		{codeBadRequest, "The request is malformed, or asks for something this host does not know or cannot do now.", ""},
		{codeTooLarge, "Something is larger than its limit, which `data` names.", ""},
		{codeCanceled, "The capsule is being ended: 500 ms are left to leave an answer.", ""},
		{"unknown_capsule", "Not in `spawn.allow`, or not in the host's catalog: alike.", ""},
		{"unknown_version", "No such version of that capsule, or not an exact one.", ""},
		{"depth_limit", "This capsule stands as deep in the tree as may be.", ""},
		{"children_limit", "As many children live as may: await one first.", ""},
		{"host_limit", "As many capsules live on the host as may.", ""},
		{"total_limit", "The tree has started all the capsules it may.", ""},
		{"rate_limit", "Too many starts in a short time: `retry_after_ms` says when one is possible.", ""},
		{"envelope", "The child's manifest asks for more than its parent has.", ""},
		{"shutting_down", "The host, or the tree that this capsule is part of, is ending.", ""},
		{codeNotFound, "No such delegation of this capsule, or no such file.", ""},
		{"peer_refused", "Another agent refused.", peers},
		{"peer_unreachable", "Another agent could not be reached.", peers},
		{"outcome_unknown", "Whether it happened cannot be told.", peers},
		{codeIO, "A file could not be read or written.", ""},
		{codeInternal, "A fault of the host; its log says more.", ""},
	}
}
