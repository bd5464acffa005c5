package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATaskIsReadWithItsDefaults(t *testing.T) {
	t.Parallel()
	p, err := read(`{"delegations": [{"capsule": "trap"}, {"capsule": "nap", "version": "2", "count": 3}], "timeout_secs": 0.5}`)
	require.NoError(t, err)
	assert.Equal(t, plan{
		Delegations: []delegation{{Capsule: "trap", Version: "0.1.0", Count: 1}, {Capsule: "nap", Version: "2", Count: 3}},
		Await:       "all",
		TimeoutSecs: 0.5,
	}, p)
}

func TestASlipInATaskIsRefused(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		``:                                "task: EOF",
		`{"delegation": []}`:              `task: json: unknown field "delegation"`,
		`{"delegations": [{"cap": "a"}]}`: `task: json: unknown field "cap"`,
		`{"await": "some"}`:               `task: await is "some", not one of all, any, twice, none`,
	} {
		_, err := read(task)
		require.EqualError(t, err, want)
	}
}
