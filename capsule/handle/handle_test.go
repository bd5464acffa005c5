package handle_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/handle"
)

var reporting = handle.Spawner{SessionID: "ses_parent", ContextID: "ctx_parent", DelegationID: "dlg_0001", URL: "http://127.0.0.1:7777"}

func TestAHandleIsReadBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	written := reporting.EnvValue()
	want := `{"session_id":"ses_parent","context_id":"ctx_parent","delegation_id":"dlg_0001","url":"http://127.0.0.1:7777"}`
	assert.Equal(t, want, written)
	read, err := handle.Parse(written)
	require.NoError(t, err)
	assert.Equal(t, reporting, read)
}

func TestAHandleForLineageOnlyHasNoAddress(t *testing.T) {
	t.Parallel()
	lineage := reporting
	lineage.URL = ""
	written := lineage.EnvValue()
	want := `{"session_id":"ses_parent","context_id":"ctx_parent","delegation_id":"dlg_0001"}`
	assert.Equal(t, want, written)
	read, err := handle.Parse(written)
	require.NoError(t, err)
	assert.Equal(t, lineage, read)
}

func TestTheTrustKeyOfOlderHostsIsIgnored(t *testing.T) {
	t.Parallel()
	read, err := handle.Parse(`{"session_id":"ses_parent","context_id":"ctx_parent","delegation_id":"dlg_0001","url":"http://127.0.0.1:7777","trust":"untrusted"}`)
	require.NoError(t, err)
	assert.Equal(t, reporting, read)
}

func TestAnUnreadableHandleIsAnErrorAndNotAnAbsence(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"nothing":                        "",
		"text":                           "not json",
		"an empty object":                "{}",
		"null":                           "null",
		"a list":                         `["ses_parent"]`,
		"no delegation":                  `{"url":"http://x","session_id":"s","context_id":"c"}`,
		"no session":                     `{"context_id":"c","delegation_id":"dlg_1"}`,
		"no context":                     `{"session_id":"s","delegation_id":"dlg_1"}`,
		"an empty delegation":            `{"session_id":"s","context_id":"c","delegation_id":""}`,
		"a blank session":                `{"session_id":" ","context_id":"c","delegation_id":"dlg_1"}`,
		"an address that is empty":       `{"url":"","session_id":"s","context_id":"c","delegation_id":"dlg_1"}`,
		"an address that is null":        `{"url":null,"session_id":"s","context_id":"c","delegation_id":"dlg_1"}`,
		"an address that is a number":    `{"url":7,"session_id":"s","context_id":"c","delegation_id":"dlg_1"}`,
		"a key in another letter case":   `{"SESSION_ID":"s","context_id":"c","delegation_id":"dlg_1"}`,
		"something behind the object":    `{"session_id":"s","context_id":"c","delegation_id":"dlg_1"} x`,
		"bytes that are not UTF-8":       "{\"session_id\":\"s\xff\",\"context_id\":\"c\",\"delegation_id\":\"dlg_1\"}",
		"an identifier that is a number": `{"session_id":1,"context_id":"c","delegation_id":"dlg_1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := handle.Parse(value)
			require.ErrorContains(t, err, "E-RUN-020: MURMUR_SPAWNER is unreadable")
			assert.ErrorContains(t, err, "nobody to report its end to", "it says why that is fatal")
			assert.NotContains(t, err.Error(), "dlg_1", "it does not repeat the value")
		})
	}
}

func environment(value string, set bool) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name != handle.SpawnerEnv {
			return "", false
		}
		return value, set
	}
}

func TestAVariableThatIsUnsetOrBlankMeansThatNobodyDelegated(t *testing.T) {
	t.Parallel()
	for _, lookup := range []func(string) (string, bool){environment("", false), environment("", true), environment(" \t\n", true)} {
		spawner, err := handle.FromEnv(lookup)
		require.NoError(t, err)
		assert.Nil(t, spawner)
	}
}

func TestAVariableThatIsSetIsReadOrRefused(t *testing.T) {
	t.Parallel()
	spawner, err := handle.FromEnv(environment(" "+reporting.EnvValue()+"\n", true))
	require.NoError(t, err)
	assert.Equal(t, &reporting, spawner)

	spawner, err = handle.FromEnv(environment("{}", true))
	require.Error(t, err)
	assert.Nil(t, spawner)
}

func FuzzAHandleThatCanBeReadIsReadBackTheSame(f *testing.F) {
	f.Add(reporting.EnvValue())
	f.Add(`{"session_id":"\u003c","context_id":"c","delegation_id":"d"}`)
	f.Add(`{"url":""}`)
	f.Fuzz(func(t *testing.T, value string) {
		first, err := handle.Parse(value)
		if err != nil {
			assert.Zero(t, first)
			return
		}
		for _, id := range []string{first.SessionID, first.ContextID, first.DelegationID} {
			assert.NotEmpty(t, strings.TrimSpace(id))
		}
		assert.True(t, json.Valid([]byte(first.EnvValue())))
		second, err := handle.Parse(first.EnvValue())
		require.NoError(t, err)
		assert.Equal(t, first, second)
	})
}
