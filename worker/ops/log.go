package ops

import (
	"context"
	"strings"
)

type logRequest struct {
	Level   string `json:"level" rule:"required;enum=debug info warn error"`
	Message string `json:"message" rule:"required"`
}

// log puts a line into the guest's own error log, where it prints too.
func log(_ context.Context, c *Calls, r logRequest) (struct{}, error) {
	// A message of several lines stays recognisable as one.
	text := "[" + r.Level + "] " + strings.ReplaceAll(strings.TrimSuffix(r.Message, "\n"), "\n", "\n  ") + "\n"
	if _, err := c.guestLog.Write([]byte(text)); err != nil {
		return struct{}{}, err
	}
	return struct{}{}, nil
}
