package sandbox_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// touched runs the probe on these paths and returns what came of each.
func touched(t *testing.T, h *rig.Host) map[string]string {
	t.Helper()
	session := h.RootEnded("probe", rig.Soon)
	require.Equal(t, "ok", session.GetStatus(), session.GetDetail())
	said := map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(h.Answer(session.GetRecordsDir())), &said))
	return said
}

func TestACapsuleSeesItsScopeAndTheFoldersMountedForItAndChangesWhatItMay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	store := p.capsule("probe", probe, "filesystem: {scope: inner/most, read_only: [keep, fixed.txt]}, resources: {workdir_max_files: 6}")
	p.write("w/above", "the operator's")
	p.write("w/inner/most/fixed.txt", "fixed")
	p.write("data/there", "given")
	p.write("shared/there", "given")
	p.write("theirs/there", "not for us")
	h := rig.Up(t, rig.Fleet{
		Store: []string{store},
		Capsules: []rig.Root{{
			Name: "probe", Workdir: p.path("w"),
			Task: "touch one keep/x fixed.txt ../above data/x data/there shared/x theirs/x two three",
		}},
		Mounts: []rig.Mount{
			{Host: p.path("data"), Guest: "data", ReadOnly: true, Capsules: []string{"probe"}},
			{Host: p.path("shared"), Guest: "shared", Capsules: []string{"other", "probe"}},
			{Host: p.path("theirs"), Guest: "theirs", ReadOnly: true, Capsules: []string{"other"}},
		},
	})
	const frozen = "Read-only file system"
	assert.Equal(t, map[string]string{
		"one":        "written",
		"keep/x":     "open keep/x: " + frozen,
		"fixed.txt":  "open fixed.txt: " + frozen,
		"../above":   "written", // Go cleans the path: it is "above" beside "one"
		"data/x":     "open data/x: " + frozen,
		"data/there": "open data/there: " + frozen,
		"shared/x":   "written",
		"theirs/x":   "open theirs/x: No such file or directory",
		"two":        "written",
		"three":      "open three: Quota exceeded",
	}, touched(t, h))
	assert.Equal(t, []string{"above", "fixed.txt", "keep", "one", "out", "two"}, names(t, p.path("w/inner/most")))
	assert.Equal(t, []string{"there"}, names(t, p.path("data")))
	assert.Equal(t, []string{"there", "x"}, names(t, p.path("shared")))
	assert.Equal(t, []string{"there"}, names(t, p.path("theirs")))
	above, err := os.ReadFile(p.path("w/above"))
	require.NoError(t, err)
	assert.Equal(t, "the operator's", string(above))

	events := h.Trace(h.RootSession("probe").GetRecordsDir())
	grants := events[0]["effective_grants"].(map[string]any)
	assert.Equal(t, []any{"keep", "fixed.txt"}, grants["read_only_paths"])
	assert.Equal(t, []any{"data", "shared:rw"}, grants["preopens"])
	var refused []string
	for _, e := range events {
		if e["event_type"] == "access_refused" {
			refused = append(refused, e["op"].(string)+" "+e["path"].(string)+" "+e["errno"].(string))
		}
	}
	assert.Equal(t, []string{
		"path_open keep/x rofs", "path_open fixed.txt rofs", "path_open x rofs", "path_open there rofs", "path_open three dquot",
	}, refused)
}

func TestAMountThatCannotBeIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	store := p.capsule("probe", probe, "")
	for says, mount := range map[string]rig.Mount{
		"no such file or directory": {Host: p.path("none"), Guest: "data", Capsules: []string{"probe"}},
		"is the host's own":         {Host: p.root, Guest: "murmur-runtime", Capsules: []string{"probe"}},
		"is not one plain name":     {Host: p.root, Guest: "a/b", Capsules: []string{"probe"}},
	} {
		h := rig.Start(t, rig.Fleet{
			Store: []string{store}, Capsules: []rig.Root{{Name: "probe", Task: "touch x"}}, Mounts: []rig.Mount{mount},
		})
		assert.Equal(t, 2, h.Exit(rig.Soon))
		assert.Contains(t, h.Log(), says)
	}
}
