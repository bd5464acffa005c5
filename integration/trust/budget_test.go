package trust_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	murmur "rookery/sdk/go"
)

// spawned is what examples/misbehave/self-spawner answers.
type spawned struct {
	Started   int                 `json:"started"`
	Codes     map[murmur.Code]int `json:"codes"`
	StoppedBy *rig.Refusal        `json:"stopped_by"`
}

func TestACapsuleThatSpawnsItselfIsStoppedByEachLimitWithItsCode(t *testing.T) {
	t.Parallel()
	// Limits that are not tried are out of the way.
	plenty := func(tight map[string]any) map[string]any {
		limits := map[string]any{"max_depth": 100, "max_children": 100, "max_live_capsules": 100, "max_spawns_per_root": 100, "spawn_rate": "1000/s", "spawn_burst": 1000}
		for k, v := range tight {
			limits[k] = v
		}
		return limits
	}
	for name, c := range map[string]struct {
		way     string
		limits  map[string]any
		started int
		code    murmur.Code
		limit   int64
		value   int64
		refused string // who is: the root itself or one beneath it
	}{
		"depth":                  {"deep", map[string]any{"max_depth": 3}, 3, murmur.DepthLimit, 3, 4, "below"},
		"no depth at all":        {"deep", map[string]any{"max_depth": 0}, 0, murmur.DepthLimit, 0, 1, "root"},
		"children":               {"wide", map[string]any{"max_children": 4}, 4, murmur.ChildrenLimit, 4, 4, "root"},
		"the host":               {"wide", map[string]any{"max_live_capsules": 5}, 4, murmur.HostLimit, 5, 5, "root"},
		"the host, in depth":     {"deep", map[string]any{"max_live_capsules": 4}, 3, murmur.HostLimit, 4, 4, "below"},
		"the total":              {"long", map[string]any{"max_spawns_per_root": 5}, 5, murmur.TotalLimit, 5, 5, "root"},
		"the total, in depth":    {"deep", map[string]any{"max_spawns_per_root": 4}, 4, murmur.TotalLimit, 4, 4, "below"},
		"the rate":               {"long", map[string]any{"spawn_rate": "1/h", "spawn_burst": 4}, 4, murmur.RateLimit, 4, 4, "root"},
		"the rate, of all below": {"deep", map[string]any{"spawn_rate": "1/h", "spawn_burst": 3}, 3, murmur.RateLimit, 3, 3, "below"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := rig.Up(t, rig.Fleet{Limits: plenty(c.limits), Capsules: []rig.Root{{Name: "self-spawner", Task: c.way}}})
			var got spawned
			h.Report(h.RootEnded("self-spawner", time.Minute), &got)
			assert.Equal(t, c.started, got.Started)
			assert.Equal(t, map[murmur.Code]int{c.code: 1}, got.Codes)
			if c.refused == "root" {
				require.NotNil(t, got.StoppedBy)
				assert.Equal(t, c.limit, got.StoppedBy.Limit)
				assert.Equal(t, c.value, got.StoppedBy.Value)
				assert.NotEmpty(t, got.StoppedBy.Message)
				assert.Equal(t, c.code == murmur.RateLimit, got.StoppedBy.RetryAfterMS > 0, "only a rate has its own time")
			}
			assert.Len(t, h.Delegations(), c.started, "what is refused leaves no trace in the ledger")
			assert.Equal(t, 0, h.Stop())
			h.NothingLeft()
		})
	}
}

func TestATreeThatSpawnsItselfEndsByItselfUnderTheDefaults(t *testing.T) {
	t.Parallel()
	rig.Heavy(t)
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "self-spawner", Task: "tree"}}})
	var got spawned
	h.Report(h.RootEnded("self-spawner", time.Minute), &got)
	assert.Greater(t, got.Started, 4)
	assert.LessOrEqual(t, got.Started, 84, "4 + 16 + 64 is what depth and children allow")
	assert.Len(t, h.Delegations(), got.Started)
	for code := range got.Codes {
		assert.Contains(t, []murmur.Code{murmur.DepthLimit, murmur.ChildrenLimit, murmur.HostLimit, murmur.RateLimit}, code)
	}
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestALimitIsReleasedWhenAChildEnds(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{
		Limits:   map[string]any{"max_children": 1, "spawn_burst": 100},
		Capsules: []rig.Root{{Name: "storm", Task: `{"capsule": "silent-ok", "count": 12}`}},
	})
	var got struct {
		Started int            `json:"started"`
		Out     map[string]int `json:"outcomes"`
		Most    int            `json:"most"`
	}
	h.Report(h.RootEnded("storm", time.Minute), &got)
	assert.Equal(t, 12, got.Started)
	assert.Equal(t, map[string]int{"ok": 12}, got.Out)
}

func TestACapsuleThatEditsWhatItWasGivenGainsNothing(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "editor"}}})
	type about struct {
		SessionID string        `json:"session_id"`
		Limits    murmur.Limits `json:"limits"`
		Grants    murmur.Grants `json:"grants"`
	}
	var got struct {
		Edits     []struct{ What, Error string } `json:"edits"`
		Before    about                          `json:"before"`
		After     about                          `json:"after"`
		Unlisted  *rig.Refusal                   `json:"unlisted"`
		Started   int                            `json:"started"`
		StoppedBy *rig.Refusal                   `json:"stopped_by"`
	}
	h.Report(h.RootEnded("editor", rig.Soon), &got)
	require.Greater(t, len(got.Edits), 10)
	for _, e := range got.Edits {
		if e.What == "write murmur.yaml in the work folder" {
			assert.Empty(t, e.Error, "the work folder is its own")
			continue
		}
		assert.NotEmpty(t, e.Error, "went through: %s", e.What)
	}
	assert.Equal(t, got.Before, got.After)
	require.NotNil(t, got.Unlisted)
	assert.Equal(t, murmur.UnknownCapsule, got.Unlisted.Code)
	assert.Equal(t, 4, got.Started)
	require.NotNil(t, got.StoppedBy)
	assert.Equal(t, murmur.ChildrenLimit, got.StoppedBy.Code)
}

func TestRefusalsThatAreNoLimit(t *testing.T) {
	t.Parallel()
	plan := rig.Plan{Delegations: []rig.Make{
		{Capsule: "nobody"},
		{Capsule: "counter"}, // there is one on disk, but not for this capsule
		{Capsule: "nap", Version: "9.9.9"},
		{Capsule: "nap", Version: "latest"},
		{Capsule: "nap", Version: "^0.1"},
		{Capsule: "nap", DeadlineSecs: -1},
		{Capsule: "nap", RequestKey: "same"},
		{Capsule: "nap", RequestKey: "same"},
		{Capsule: "trap", RequestKey: "same"},
	}}
	h := rig.Up(t, rig.Fleet{
		Store:    []string{rig.Path(rig.Misbehave), rig.Path("examples/census/capsules")},
		Capsules: []rig.Root{{Name: "parent", Task: plan.Text()}},
	})
	told := h.Told(h.RootEnded("parent", rig.Soon))
	refusal := func(i int) rig.Refusal {
		require.NotNil(t, told.Delegations[i].Refused, "%d", i)
		return *told.Delegations[i].Refused
	}
	assert.Equal(t, murmur.UnknownCapsule, refusal(0).Code)
	unlisted := refusal(1)
	assert.Equal(t, murmur.UnknownCapsule, unlisted.Code)
	assert.Equal(t, `there is no capsule "counter" to delegate to`, unlisted.Message)
	assert.Equal(t, `there is no capsule "nobody" to delegate to`, refusal(0).Message, "what is not granted and what is not there are alike")
	for i := 2; i <= 4; i++ {
		assert.Equal(t, murmur.UnknownVersion, refusal(i).Code)
	}
	assert.Equal(t, murmur.BadRequest, refusal(5).Code)
	require.NotNil(t, told.Delegations[6].Started)
	assert.Equal(t, told.Delegations[6].Started, told.Delegations[7].Started, "a repeat answers with the first delegation")
	assert.Equal(t, murmur.BadRequest, refusal(8).Code)
	assert.Len(t, h.Delegations(), 1)
}
