package ops

import (
	"context"
	"slices"
	"strings"
)

type logRequest struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

var levels = []string{"debug", "info", "warn", "error"}

// log puts a line into the guest's own error log, where it prints too.
func log(_ context.Context, c *Calls, r logRequest) (any, error) {
	if !slices.Contains(levels, r.Level) {
		return nil, badRequest(`field "level" must be one of %s`, strings.Join(levels, " "))
	}
	// A message of several lines stays recognisable as one.
	text := "[" + r.Level + "] " + strings.ReplaceAll(strings.TrimSuffix(r.Message, "\n"), "\n", "\n  ") + "\n"
	if _, err := c.guestLog.Write([]byte(text)); err != nil {
		return nil, err
	}
	return struct{}{}, nil
}
