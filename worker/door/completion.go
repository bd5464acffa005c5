package door

import (
	"context"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"rookery/worker/hostlink"
)

// What makes a request a completion.
const (
	originHeader     = "x-murmur-task-origin"
	completionOrigin = "completion"
	delegationHeader = "x-murmur-delegation-id"
	sessionHeader    = "x-murmur-completion-session"
)

// resolveTimeout bounds the question to the supervisor: it answers from memory, and
// the child that rang gives up after two seconds.
const resolveTimeout = time.Second

type received struct {
	Message receivedMessage `json:"message"`
}

type receivedMessage struct {
	MessageID string         `json:"messageId"`
	Role      string         `json:"role"`
	ContextID string         `json:"contextId,omitempty"`
	Parts     []receivedPart `json:"parts"`
}

type receivedPart struct {
	Data      receivedData `json:"data"`
	MediaType string       `json:"mediaType"`
}

type receivedData struct {
	DelegationID string `json:"delegation_id"`
	Received     bool   `json:"received"`
}

// ring answers a completion. It is a bell: whoever rings and whatever the message
// says, the supervisor knows, and releases the outcome by itself.
func (d *Door) ring(r *http.Request, request envelope) (any, *rpcError) {
	if session := only(r.Header, sessionHeader); session != d.sessionID {
		return nil, misaddressed(session)
	}
	if request.Method != "SendMessage" {
		return nil, methodNotFound()
	}
	delegation := only(r.Header, delegationHeader)
	if delegation == "" || !utf8.ValidString(delegation) {
		return nil, notAwaited(delegation)
	}
	if !d.bells.Allow() {
		return nil, tooManyBells()
	}
	ctx, cancel := context.WithTimeout(r.Context(), resolveTimeout)
	defer cancel()
	recorded, err := d.link.ResolveCompletion(ctx, delegation)
	switch {
	case errors.Is(err, hostlink.ErrNoSupervisor):
		return nil, unavailable()
	case err != nil:
		d.log.Warn().Err(err).Msg("a completion could not be resolved")
		return nil, unavailable()
	case !recorded:
		return nil, notAwaited(delegation)
	}
	return received{receivedMessage{
		MessageID: "msg_" + delegation + "_received",
		Role:      "ROLE_AGENT",
		ContextID: d.task.Now().ContextID,
		Parts:     []receivedPart{{receivedData{delegation, true}, "application/json"}},
	}}, nil
}
