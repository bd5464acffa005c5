package murmur

import "time"

// Input is the message that has answered a question.
type Input struct {
	MessageID string `json:"message_id"`
	// Text is the message as one text; data stands in it as fenced JSON. It comes from outside, to be trusted like any
	// other input.
	Text  string `json:"text"`
	Parts []Part `json:"parts"`
}

// RequestInput asks whoever sees this capsule's task, which requires input meanwhile, and returns the message that
// answers. bound is how long to wait; 0: as long as this capsule may run. When nobody answers in time the task fails: the
// call is refused with Canceled and the capsule is ended.
func RequestInput(prompt string, bound time.Duration) (Input, error) {
	var input Input
	err := call("request-input", inputRequest{Prompt: prompt, TimeoutSecs: timeout(bound, false)}, &input)
	return input, err
}

type inputRequest struct {
	Prompt      string   `json:"prompt"`
	TimeoutSecs *float64 `json:"timeout_secs,omitempty"`
}
