package operator_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

func TestWhatHasEndedIsReadFromDiskWhileNoSupervisorRuns(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, family())
	root := h.RootEnded("parent", rig.Soon)
	for _, d := range h.Delegations() {
		h.Acknowledged(d.GetDelegationId())
	}
	commands := []string{
		"ps --all", "delegations --all", "delegations --all --status error", "delegations --all --root " + root.GetSessionId()[26:],
		"delegations --all --capsule nap", "delegations --all --only running", "tree --all",
	}
	live := map[string][]row{}
	for _, line := range commands {
		live[line] = rows(t, h, strings.Fields(line)...)
	}
	trace, log := h.CLI("trace", root.GetSessionId(), "-o", "table"), h.CLI("logs", root.GetSessionId())
	tree := h.CLI("tree", "--all", "-o", "table")
	require.Equal(t, 0, h.Stop())
	before, err := os.Stat(h.State.DB())
	require.NoError(t, err)
	for _, line := range commands {
		assert.Equal(t, live[line], rows(t, h, strings.Fields(line)...), line)
	}
	again := h.CLI("trace", root.GetSessionId()[26:], "-o", "table")
	assert.Equal(t, trace.Stdout, again.Stdout)
	assert.Contains(t, again.Stderr, "no supervisor answers: this is read from the records in "+h.State.Root)
	assert.Equal(t, log.Stdout, h.CLI("logs", root.GetSessionId()).Stdout)
	assert.Equal(t, strings.Count(tree.Stdout, "\n"), strings.Count(h.CLI("tree", "--all", "-o", "table").Stdout, "\n"))
	after, err := os.Stat(h.State.DB())
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime(), "nobody has touched the database")

	// What lives is the running host's to say.
	for _, line := range []string{"ps", "tree", "delegations", "logs -f " + root.GetSessionId(), "events", "kill abcd", "stop abcd", "host"} {
		said := h.CLI(strings.Fields(line)...)
		assert.Equal(t, 3, said.Code, line)
		assert.Empty(t, said.Stdout)
	}
	assert.Equal(t, 2, h.CLI("trace", "ffffffff").Code)
	said := rig.Command(t, h.Dir, []string{"HOME=" + h.Dir}, "ps", "--all", "--operator", h.State.OperatorSock())
	assert.Equal(t, 3, said.Code, "a host that was named is not replaced by records")
}

func TestASessionWithoutAnEndIsListedAsNotKnown(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, sleeper())
	root := h.RootSession("sleep")
	rig.Until(t, rig.Soon, "the worker is there", func() bool { return len(h.Workers()) == 1 })
	h.Kill9()
	all := rows(t, h, "ps", "--all")
	require.Len(t, all, 1)
	assert.Equal(t, root.GetSessionId(), all[0].SessionID)
	assert.Empty(t, all[0].State)
	assert.Contains(t, all[0].Detail, "no record of its end")
	assert.Contains(t, h.CLI("tree", "--all", "-o", "table").Stdout, "sleep sleep@0.1.0 ? ")
	h.Again()
	assert.Equal(t, "ended", rows(t, h, "ps", "--all")[0].State)
}

func TestTheMachineIsLookedAtWithoutAHost(t *testing.T) {
	t.Parallel()
	dir := rig.Dir(t)
	said := rig.Command(t, dir, []string{"HOME=" + dir}, "doctor", "-o", "json")
	require.Equal(t, 0, said.Code, said.Stderr)
	var checks []struct {
		Name, State, Detail, Remedy string
		Required                    bool
	}
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &checks))
	found := map[string]bool{}
	for _, c := range checks {
		found[c.Name] = true
		assert.NotEmpty(t, c.Detail, c.Name)
		assert.Equal(t, c.State == "missing", c.Remedy != "", "what is missing has a remedy, and only that: %s", c.Name)
	}
	for _, name := range []string{"openat2", "pidfd", "peer-pidfd", "cgroups", "landlock", "user-namespaces", "user", "disk", "descriptors", "worker"} {
		assert.True(t, found[name], name)
	}
	said = rig.Command(t, dir, []string{"HOME=" + dir}, "doctor", "-o", "table", "--worker", "/no/worker", "--state", "/"+strings.Repeat("x", 100))
	assert.Equal(t, 1, said.Code)
	assert.Contains(t, said.Stdout, "missing  yes")
	assert.Contains(t, said.Stdout, "at most 75")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "a look changes nothing")
}
