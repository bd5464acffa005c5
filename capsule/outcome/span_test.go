package outcome_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"rookery/capsule/outcome"
)

func TestSpansReadAsDetailsWriteThem(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		600 * time.Second: "600s", time.Second: "1s", 1500 * time.Millisecond: "1.5s", 0: "0s", 2 * time.Hour: "7200s",
	} {
		assert.Equal(t, want, outcome.Span(d))
	}
}
