package guest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/worker/ops"
)

// elsewhere are the codes that no host can be brought to answer with from outside, and what reaches them.
var elsewhere = map[string]string{"internal": "worker/ops: a supervisor that fails"}

// once is a delegation that has ended when it is answered.
var once = delegate("silent-ok", `,"task":"","wait":true`)

// scenarios bring a real host to every other code: the last response of the root has it.
var scenarios = map[string]struct {
	limits map[string]any
	root   string // default: asker
	asks   []ask
}{
	"not_granted":     {root: "mute", asks: []ask{once}},
	"unknown_op":      {asks: []ask{call("nothing", `{}`)}},
	"bad_request":     {asks: []ask{call("self", `{"verbose":true}`)}},
	"too_large":       {asks: []ask{{Op: "self", Request: []byte(`{}`), Pad: 1 << 20}}},
	"canceled":        {root: "brief", asks: []ask{call("wait", `{}`)}},
	"unknown_capsule": {asks: []ask{delegate("trap", `,"task":""`)}},
	"unknown_version": {asks: []ask{call("delegate", `{"capsule":"silent-ok","version":"latest","task":""}`)}},
	"depth_limit":     {limits: map[string]any{"max_depth": 1}, asks: []ask{delegate("asker", `,"wait":true,"task":`+quoted(text(once)))}},
	"children_limit":  {limits: map[string]any{"max_children": 1}, asks: []ask{delegate("sleep", `,"task":""`), once}},
	"host_limit":      {limits: map[string]any{"max_live_capsules": 2}, asks: []ask{delegate("sleep", `,"task":""`), once}},
	"total_limit":     {limits: map[string]any{"max_spawns_per_root": 1}, asks: []ask{once, once}},
	"rate_limit":      {limits: map[string]any{"spawn_rate": "1/m", "spawn_burst": 1}, asks: []ask{once, once}},
	"envelope":        {asks: []ask{delegate("greedy", `,"task":""`)}},
	"not_found":       {asks: []ask{call("end-delegation", `{"delegation_id":"dlg_nobody"}`)}},
	"io_error":        {asks: []ask{call("artifact", `{"parts":[{"file":"file/beneath"}]}`)}},
	// Its tree is marked before the child is waited for; see ending.
	"shutting_down": {asks: []ask{delegate("spin", `,"task":""`), {Op: once.Op, Request: once.Request, Until: `"shutting_down"`}}},
}

// store holds asker under the manifests that the scenarios need.
func store(t *testing.T) []string {
	t.Helper()
	return []string{rig.Path(rig.Misbehave), rig.Store(t,
		rig.Package{Name: "asker", Module: asker, Allow: []string{"asker", "silent-ok", "sleep", "spin", "greedy"}},
		rig.Package{Name: "mute", Module: asker},
		rig.Package{Name: "hasty", Module: asker, Manifest: "name: hasty\nversion: 0.1.0\nmur_version: \"0.8\"\ncapabilities: {spawn: {allow: [spin]}, limits: {deadline_seconds: 2}}\n"},
		rig.Package{Name: "brief", Module: asker, Manifest: "name: brief\nversion: 0.1.0\nmur_version: \"0.8\"\ncapabilities: {limits: {deadline_seconds: 1}}\n"},
		rig.Package{Name: "greedy", Module: rig.Misbehave + "/silent-ok", Env: []string{"REGION"}},
	)}
}

func TestEveryCodeComesFromARealHost(t *testing.T) {
	t.Parallel()
	for _, c := range ops.Codes() {
		s, there := scenarios[c.Name]
		if c.Later != "" || elsewhere[c.Name] != "" {
			assert.False(t, there, "%s is reached here", c.Name)
			continue
		}
		if !assert.True(t, there, "nothing brings a host to %s", c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			root := rig.Root{Name: s.root, Task: text(s.asks...)}
			if root.Name == "" {
				root.Name = "asker"
			}
			h := rig.Up(t, rig.Fleet{Store: store(t), Limits: s.limits, Capsules: []rig.Root{root}})
			if c.Name == "shutting_down" {
				ending(t, h)
			}
			session := h.RootEnded(root.Name, rig.Soon)
			all := responses(t, h, session)
			last := all[len(all)-1]
			if c.Name == "depth_limit" {
				assert.Contains(t, last, `"status":"ok"`)
				last = strings.ReplaceAll(last, `\"`, `"`)
				assert.Contains(t, last, `"code":"depth_limit"`)
				return
			}
			assert.Equal(t, c.Name, code(last), last)
			for _, earlier := range all[:len(all)-1] {
				assert.Empty(t, code(earlier))
			}
		})
	}
}

// ending stops the root while its child spins: the child, which no cancel reaches, is ended first.
func ending(t *testing.T, h *rig.Host) {
	t.Helper()
	h.RunningChild("spin")
	ctx, cancel := context.WithTimeout(t.Context(), rig.Soon)
	defer cancel()
	_, err := h.API.StopSession(ctx, &operatorv1.StopSessionRequest{SessionId: h.RootSession("asker").GetSessionId()})
	require.NoError(t, err)
}

func TestACapsuleWhoseDeadlinePassesIsToldOnceAndLeavesItsAnswer(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Store: store(t), Capsules: []rig.Root{{Name: "brief", Task: text(
		call("wait", `{}`), call("wait", `{}`), call("request-input", `{"prompt":"p"}`), call("progress", `{"message":"leaving"}`),
		call("artifact", `{"parts":[{"text":"half"}]}`),
	)}}})
	s := h.RootEnded("brief", rig.Soon)
	assert.Equal(t, "error", s.GetStatus())
	assert.Equal(t, "deadline 1s", s.GetDetail())
	const told = `{"error":{"code":"canceled","message":"this capsule is being ended"}}`
	assert.Equal(t, []string{
		told, `{"ok":{"events":[{"seq":1,"kind":"cancel","cancel":{"reason":"deadline 1s"}}],"next":1}}`, told, `{"ok":{}}`,
		`{"ok":{"artifact_id":"artifact-1"}}`,
	}, responses(t, h, s))
}

func TestAParentEndsItsChildAndIsToldHow(t *testing.T) {
	t.Parallel()
	all := ran(t, rig.Fleet{Store: store(t)}, rig.Root{Name: "asker", Task: text(
		delegate("sleep", `,"task":""`), call("end-delegation", `{"delegation_id":"$delegation"}`), call("end-delegation", `{"delegation_id":"$delegation"}`),
		call("wait", `{"kinds":["outcome"],"timeout_secs":1}`), call("await", `{}`),
	)})
	assert.Contains(t, all[1], `"status":"terminated"`)
	assert.Contains(t, all[1], `"detail":"ended by the parent"`)
	assert.Equal(t, all[1], all[2], "one that has ended has the outcome it has")
	assert.Equal(t, `{"ok":{"events":[],"next":0}}`, all[3], "what a parent did itself is no news to it")
	assert.Equal(t, `{"ok":{"outcomes":[],"outstanding":[]}}`, all[4])
}
