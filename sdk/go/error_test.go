package murmur

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARefusalCarriesCodeLimitAndWhenToTryAgain(t *testing.T) {
	t.Parallel()
	err := decode("delegate", golden(t, "response_refused.json"), &Started{})
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, &Error{
		Op: "delegate", Code: RateLimit, Message: "too many starts",
		RetryAfter: 250 * time.Millisecond, Limit: 120, Value: 121,
	}, refusal)
	assert.EqualError(t, err, "delegate: rate_limit: too many starts")
}

func TestARefusalWithACodeOfTomorrowIsStillAnError(t *testing.T) {
	t.Parallel()
	err := decode("self", golden(t, "response_refused_bare.json"), &Info{})
	require.EqualError(t, err, "self: a_code_of_tomorrow")
	assert.True(t, IsCode(err, "a_code_of_tomorrow"))
}

func TestIsCodeFindsARefusalInsideAnotherError(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("shard 3: %w", &Error{Op: "delegate", Code: ChildrenLimit})
	assert.True(t, IsCode(err, ChildrenLimit))
	assert.True(t, IsCode(err, HostLimit, ChildrenLimit))
	assert.False(t, IsCode(err, HostLimit))
	assert.False(t, IsCode(err))
	assert.False(t, IsCode(errors.New("children_limit"), ChildrenLimit))
	assert.False(t, IsCode(nil, ChildrenLimit))
}

func TestAResponseThatIsNotOneIsNamed(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]string{
		``:                        "op: response: unexpected end of JSON input",
		`{}`:                      "op: response holds neither ok nor error",
		`{"error": null}`:         "op: response holds neither ok nor error",
		`{"ok": {"next": "one"}}`: "op: response: json: cannot unmarshal string into Go struct field Awaited.next of type uint64",
	} {
		assert.EqualError(t, decode("op", []byte(response), &Awaited{}), want, "%q", response)
	}
}

func FuzzDecode(f *testing.F) {
	for _, file := range []string{"response_awaited.json", "response_refused.json"} {
		response, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(f, err)
		f.Add(string(response))
	}
	f.Add(`{"ok": null}`)
	f.Fuzz(func(t *testing.T, response string) {
		var awaited Awaited
		var refusal *Error
		if err := decode("await", []byte(response), &awaited); errors.As(err, &refusal) && refusal.Op != "await" {
			t.Fatalf("a refusal of another op: %v", err)
		}
	})
}
