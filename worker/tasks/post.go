package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"rookery/capsule/failpoint"
	"rookery/capsule/id"
	"rookery/capsule/outcome"
	"rookery/capsule/redact"
)

type postedRequest struct {
	JSONRPC string       `json:"jsonrpc"`
	ID      string       `json:"id"`
	Method  string       `json:"method"`
	Params  postedParams `json:"params"`
}

type postedParams struct {
	Message       postedMessage `json:"message"`
	Configuration postedConfig  `json:"configuration"`
}

type postedMessage struct {
	MessageID string       `json:"messageId"`
	Role      string       `json:"role"`
	ContextID string       `json:"contextId"`
	Parts     []postedPart `json:"parts"`
}

type postedPart struct {
	Text      string `json:"text"`
	MediaType string `json:"mediaType"`
}

type postedConfig struct {
	// ReturnImmediately asks not to wait for a task: the default of A2A 1.0 is to block.
	ReturnImmediately bool `json:"returnImmediately"`
}

// tellParent rings the parent's door and notes in the record how that went. A parent
// that cannot be told is no failure of the session: its outcome is on disk.
func (s *Session) tellParent(ctx context.Context, end ending) {
	if s.spawner == nil || s.spawner.URL == "" {
		return
	}
	record := s.completion(end)
	err := s.post(ctx, record)
	failpoint.Hit(failpoint.Posted)
	record.Delivered = err == nil
	if err != nil {
		record.DeliveryError = outcome.BoundDetail(redact.Text(err.Error()))
		s.Log.Warn().Str("delegation", record.DelegationID).Str("error", record.DeliveryError).
			Msg("the parent was not told; the record says why")
	}
	if err := outcome.WriteRecord(s.Records, record); err != nil {
		s.Log.Error().Err(err).Msg("the record does not say whether the parent was told")
	}
}

// post sends the completion.
func (s *Session) post(ctx context.Context, record outcome.Record) error {
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	body, err := json.Marshal(postedRequest{
		JSONRPC: "2.0", ID: id.Request.New(), Method: "SendMessage",
		Params: postedParams{
			Message: postedMessage{
				MessageID: id.Message.New(), Role: "ROLE_USER", ContextID: s.spawner.ContextID,
				Parts: []postedPart{{record.MessageText(), "text/plain"}},
			},
			Configuration: postedConfig{ReturnImmediately: true},
		},
	})
	if err != nil {
		return fmt.Errorf("completion: %w", err)
	}
	response, err := s.Post.Post(ctx, s.spawner.URL, map[string]string{
		"Content-Type":                "application/json",
		"A2A-Version":                 "1.0",
		"x-murmur-task-origin":        "completion",
		"x-murmur-delegation-id":      s.spawner.DelegationID,
		"x-murmur-completion-session": s.spawner.SessionID,
	}, body)
	if err != nil {
		return err
	}
	if response.Status != http.StatusOK {
		return fmt.Errorf("the parent's door answered with status %d", response.Status)
	}
	return taken(response.Body)
}

// taken reads the door's answer: nil if the completion was taken.
func taken(body []byte) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil:
		return errors.New("the parent's door gave no JSON-RPC answer")
	case answer.Error != nil && answer.Error.Message != "":
		return errors.New(answer.Error.Message)
	case answer.Error != nil:
		return errors.New("the parent refused the completion")
	case len(answer.Result) == 0:
		return errors.New("the parent's door gave no JSON-RPC answer")
	}
	return nil
}
