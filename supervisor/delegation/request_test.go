package delegation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/capsule/manifest"
)

func TestARequestIsRefusedWithItsOwnCode(t *testing.T) {
	t.Parallel()
	good := Request{ID: "req_1", TaskID: "tsk_1", ContextID: "ctx_1", Capsule: "counter", Version: "0.1.0", Task: "count"}
	require.Nil(t, good.check())
	for name, c := range map[string]struct {
		change func(*Request)
		code   string
	}{
		"no request id":            {func(r *Request) { r.ID = "" }, CodeBadRequest},
		"no task id":               {func(r *Request) { r.TaskID = "" }, CodeBadRequest},
		"no context id":            {func(r *Request) { r.ContextID = "" }, CodeBadRequest},
		"a request id too long":    {func(r *Request) { r.ID = strings.Repeat("k", maxIDBytes+1) }, CodeBadRequest},
		"a task id too long":       {func(r *Request) { r.TaskID = strings.Repeat("k", maxIDBytes+1) }, CodeBadRequest},
		"a context id too long":    {func(r *Request) { r.ContextID = strings.Repeat("k", maxIDBytes+1) }, CodeBadRequest},
		"a negative deadline":      {func(r *Request) { r.Deadline = -time.Second }, CodeBadRequest},
		"a task over one mebibyte": {func(r *Request) { r.Task = strings.Repeat("x", MaxTaskBytes+1) }, "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := good
			c.change(&q)
			got := q.check()
			require.NotNil(t, got)
			require.Equal(t, c.code, got.Code)
		})
	}
}

func TestARepeatIsToldFromAnotherRequestByEveryField(t *testing.T) {
	t.Parallel()
	base := Request{ID: "k", TaskID: "t", ContextID: "c", Capsule: "a", Version: "1", Task: "x", Deadline: 1, LineageOnly: false}
	same := base
	require.Equal(t, base.digest(), same.digest())
	for _, change := range []func(*Request){
		func(r *Request) { r.TaskID = "u" }, func(r *Request) { r.ContextID = "d" }, func(r *Request) { r.Capsule = "b" },
		func(r *Request) { r.Version = "2" }, func(r *Request) { r.Task = "y" }, func(r *Request) { r.Deadline = 2 },
		func(r *Request) { r.LineageOnly = true },
	} {
		other := base
		change(&other)
		require.NotEqual(t, base.digest(), other.digest())
	}
}

func TestAChildThatHasMoreThanItsParentIsRefusedByNameAndKey(t *testing.T) {
	t.Parallel()
	grants := func(name string, spawn, env []string) *manifest.Manifest {
		m := &manifest.Manifest{Name: name}
		m.Capabilities.SpawnAllow = spawn
		m.Capabilities.EnvAllow = env
		return m
	}
	parent := grants("parent", []string{"a", "b"}, []string{"REGION"})
	require.Nil(t, fits(parent, grants("child", nil, nil)))
	require.Nil(t, fits(parent, grants("child", []string{"b"}, []string{"REGION"})))

	spawn := fits(parent, grants("child", []string{"a", "c"}, nil))
	require.NotNil(t, spawn)
	require.Equal(t, CodeEnvelope, spawn.Code)
	require.Contains(t, spawn.Message, "capabilities.spawn.allow")
	require.Contains(t, spawn.Message, `"c"`)

	env := fits(parent, grants("child", nil, []string{"ZONE"}))
	require.NotNil(t, env)
	require.Contains(t, env.Message, "capabilities.env.allow")
	require.Contains(t, env.Message, `"ZONE"`)

	var refusal *Refusal
	require.ErrorAs(t, env, &refusal)
}
