package handle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// SpawnerEnv is the variable that carries the handle. The launcher owns it: no
// manifest can let another value through.
const SpawnerEnv = "MURMUR_SPAWNER"

// Code is the error code of an unreadable handle, which refuses the launch.
const Code = "E-RUN-020"

// Spawner says which delegation a capsule runs for.
type Spawner struct {
	// SessionID is the parent's session.
	SessionID string
	// ContextID is the conversation the parent delegated from.
	ContextID string
	// DelegationID is minted once per launch, never reused.
	DelegationID string
	// URL is the parent's door, http://host:port. Empty means lineage only: the
	// child knows its parent and rings at no door.
	URL string
}

// EnvValue is the handle as compact JSON. A handle without a URL has no url key.
func (s Spawner) EnvValue() string {
	value, err := json.Marshal(struct {
		SessionID    string `json:"session_id"`
		ContextID    string `json:"context_id"`
		DelegationID string `json:"delegation_id"`
		URL          string `json:"url,omitempty"`
	}(s))
	if err != nil {
		panic(err) // four strings always marshal
	}
	return string(value)
}

// Parse reads one value. Keys it does not know are ignored: older hosts wrote a
// trust key.
func Parse(value string) (Spawner, error) {
	spawner, err := parse(value)
	if err != nil {
		return Spawner{}, fmt.Errorf("%s: %s is unreadable: %w; a capsule that cannot read who delegated to it has nobody to report its end to, so it is not started",
			Code, SpawnerEnv, err)
	}
	return spawner, nil
}

// FromEnv reads the handle with lookup, usually os.LookupEnv. A variable that is
// unset or blank means that nobody delegated: nil without an error.
func FromEnv(lookup func(string) (string, bool)) (*Spawner, error) {
	value, set := lookup(SpawnerEnv)
	value = strings.TrimSpace(value)
	if !set || value == "" {
		return nil, nil
	}
	spawner, err := Parse(value)
	if err != nil {
		return nil, err
	}
	return &spawner, nil
}

func parse(value string) (Spawner, error) {
	if !utf8.ValidString(value) {
		return Spawner{}, errors.New("it is not UTF-8")
	}
	// A map, because a struct would also take keys in another letter case.
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &keys); err != nil {
		return Spawner{}, errors.New("it is not a JSON object")
	}
	var spawner Spawner
	for _, field := range []struct {
		key      string
		into     *string
		optional bool
	}{
		{key: "session_id", into: &spawner.SessionID},
		{key: "context_id", into: &spawner.ContextID},
		{key: "delegation_id", into: &spawner.DelegationID},
		{key: "url", into: &spawner.URL, optional: true},
	} {
		raw, present := keys[field.key]
		switch {
		case !present && field.optional:
		case !present:
			return Spawner{}, fmt.Errorf("%s is missing", field.key)
		case bytes.Equal(raw, []byte("null")) || json.Unmarshal(raw, field.into) != nil:
			return Spawner{}, fmt.Errorf("%s is not a string", field.key)
		case strings.TrimSpace(*field.into) == "":
			return Spawner{}, fmt.Errorf("%s is empty", field.key)
		}
	}
	return spawner, nil
}
