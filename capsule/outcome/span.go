package outcome

import (
	"fmt"
	"time"
)

// Span is a length of time as details write it: whole seconds as "600s", anything else as Go does.
func Span(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", int64(d/time.Second))
	}
	return d.String()
}
