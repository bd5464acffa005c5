package door

import "strconv"

// rpcError is the error of a JSON-RPC answer. Those of the standard have no data.
type rpcError struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    []errorInfo `json:"data,omitempty"`
}

type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata"`
}

const (
	a2aDomain    = "a2a-protocol.org"
	murmurDomain = "murmur.nexus"
)

func explained(code int, message, reason, domain string, metadata map[string]string) *rpcError {
	return &rpcError{code, message, []errorInfo{{"type.googleapis.com/google.rpc.ErrorInfo", reason, domain, metadata}}}
}

func invalidJSON() *rpcError { return &rpcError{Code: -32700, Message: "Invalid JSON payload"} }

func invalidRequest() *rpcError {
	return &rpcError{Code: -32600, Message: "Request payload validation error"}
}

func methodNotFound() *rpcError { return &rpcError{Code: -32601, Message: "Method not found"} }

func invalidParams(why string) *rpcError {
	return &rpcError{Code: -32602, Message: "Invalid params: " + why}
}

func taskNotFound(taskID string) *rpcError {
	return explained(-32001, "Task not found", "TASK_NOT_FOUND", a2aDomain, map[string]string{"taskId": taskID})
}

// takesNoMessage is for a task that works or has ended.
func takesNoMessage(taskID, state string) *rpcError {
	return explained(-32004, "the task is "+state+": it takes a message only while input is required", "UNSUPPORTED_OPERATION", a2aDomain,
		map[string]string{"taskId": taskID, "state": state})
}

func contentTypeNotSupported(part int, mediaType string) *rpcError {
	return explained(-32005, "this door takes parts of text and data", "CONTENT_TYPE_NOT_SUPPORTED", a2aDomain,
		map[string]string{"partIndex": strconv.Itoa(part), "mediaType": mediaType})
}

func unavailable() *rpcError {
	return &rpcError{Code: -32603, Message: "Internal error: no supervisor answers now"}
}

func tooManyBells() *rpcError {
	return &rpcError{Code: -32603, Message: "Internal error: too many completions at once"}
}

func versionNotSupported(requested string) *rpcError {
	return explained(-32009, "this door speaks A2A "+protocolVersion, "VERSION_NOT_SUPPORTED", a2aDomain,
		map[string]string{"requestedVersion": requested, "supportedVersions": protocolVersion})
}

// misaddressed does not say whose door this is: the address may have been another
// session's when the caller learnt it.
func misaddressed(session string) *rpcError {
	shown := session
	if shown == "" {
		shown = "<unaddressed>"
	}
	return explained(-31001, "session "+shown+" is not at this door", "COMPLETION_MISADDRESSED", murmurDomain,
		map[string]string{"addressedSession": session})
}

// notAwaited is one answer for ids that are unknown, foreign, or still without a
// record, so that nobody learns which.
func notAwaited(delegationID string) *rpcError {
	shown := delegationID
	if shown == "" {
		shown = "<unnamed>"
	}
	return explained(-31002, "delegation "+shown+" is not awaited here", "COMPLETION_NOT_AWAITED", murmurDomain,
		map[string]string{"delegationId": delegationID})
}
