package told

import (
	"encoding/json"
	"errors"

	murmur "rookery/sdk/go"
)

// Refusal is an error of a call. An error that is no refusal by the host has no code.
type Refusal struct {
	Code         murmur.Code `json:"code"`
	Message      string      `json:"message"`
	Limit        int64       `json:"limit"`
	Value        int64       `json:"value"`
	RetryAfterMS int64       `json:"retry_after_ms"`
}

// Refused writes down err; nil for nil.
func Refused(err error) *Refusal {
	var refusal *murmur.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refusal):
		return &Refusal{refusal.Code, refusal.Message, refusal.Limit, refusal.Value, refusal.RetryAfter.Milliseconds()}
	}
	return &Refusal{Message: err.Error()}
}

// Answer is a report as the text of an answer.
func Answer(report any) (string, error) {
	text, err := json.MarshalIndent(report, "", "  ")
	return string(text), err
}
