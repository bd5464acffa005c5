package told

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	murmur "rookery/sdk/go"
)

func TestARefusalIsWrittenDownWhole(t *testing.T) {
	t.Parallel()
	refusal := &murmur.Error{
		Op: "delegate", Code: murmur.RateLimit, Message: "slow down", RetryAfter: 1500 * time.Millisecond, Limit: 120, Value: 121,
	}
	want := &Refusal{Code: "rate_limit", Message: "slow down", Limit: 120, Value: 121, RetryAfterMS: 1500}
	assert.Equal(t, want, Refused(fmt.Errorf("start: %w", refusal)))
	assert.Equal(t, &Refusal{Message: "no luck"}, Refused(errors.New("no luck")))
	assert.Nil(t, Refused(nil))
}
