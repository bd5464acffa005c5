package delegation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/capsule/manifest"
)

func parsed(t *testing.T, name, capabilities string) *manifest.Manifest {
	t.Helper()
	m, _, err := manifest.Parse("murmur.yaml", []byte("name: "+name+"\nversion: 1.0.0\ncapabilities: {"+capabilities+"}\n"))
	require.NoError(t, err)
	return m
}

func TestAChildFitsItsParentOnEveryAxisOrIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ parent, child, refused string }{
		"equal":                          {"", "", ""},
		"a name to spawn":                {"spawn: {allow: [a, b]}", "spawn: {allow: [local/b]}", ""},
		"another name to spawn":          {"spawn: {allow: [a]}", "spawn: {allow: [a, b]}", `capabilities.spawn.allow of child names "b", which parent does not have`},
		"a variable":                     {"env: {allow: [A]}", "env: {allow: [A]}", ""},
		"another variable":               {"env: {allow: [A]}", "env: {allow: [B]}", `capabilities.env.allow of child names "B", which parent does not have`},
		"any scope under none":           {"", "filesystem: {scope: a}", ""},
		"none under none by its dot":     {"filesystem: {scope: .}", "", ""},
		"the same scope":                 {"filesystem: {scope: a/b}", "filesystem: {scope: a/b/}", ""},
		"a narrower scope":               {"filesystem: {scope: a}", "filesystem: {scope: a/b}", ""},
		"no scope under one":             {"filesystem: {scope: a}", "", `capabilities.filesystem.scope of child is the whole work folder, of parent only "a"`},
		"a wider scope":                  {"filesystem: {scope: a/b}", "filesystem: {scope: a}", `capabilities.filesystem.scope of child is "a", which lies outside "a/b" of parent`},
		"a scope that only begins alike": {"filesystem: {scope: a}", "filesystem: {scope: ab}", `capabilities.filesystem.scope of child is "ab", which lies outside "a" of parent`},
		"less memory":                    {"", "limits: {memory_bytes: 1Mi}", ""},
		"more memory":                    {"limits: {memory_bytes: 1Mi}", "limits: {memory_bytes: 1048577}", "capabilities.limits.memory_bytes of child is 1048577, more than 1048576 of parent"},
		"the default of memory":          {"limits: {memory_bytes: 1Mi}", "", "capabilities.limits.memory_bytes of child is 536870912, more than 1048576 of parent"},
		"more elements":                  {"limits: {table_elements: 10}", "limits: {table_elements: 11}", "capabilities.limits.table_elements of child is 11, more than 10 of parent"},
		"more instances":                 {"limits: {instances: 1}", "limits: {instances: 2}", "capabilities.limits.instances of child is 2, more than 1 of parent"},
		"more bytes":                     {"resources: {workdir_max_bytes: 5}", "resources: {workdir_max_bytes: 6}", "capabilities.resources.workdir_max_bytes of child is 6, more than 5 of parent"},
		"more names":                     {"resources: {workdir_max_files: 5}", "resources: {workdir_max_files: 6}", "capabilities.resources.workdir_max_files of child is 6, more than 5 of parent"},
		"a longer deadline":              {"limits: {deadline_seconds: 1}", "limits: {deadline_seconds: 7200}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := fits(parsed(t, "parent", c.parent), parsed(t, "child", c.child))
			if c.refused == "" {
				require.Nil(t, refused)
				return
			}
			require.NotNil(t, refused)
			require.Equal(t, CodeEnvelope, refused.Code)
			require.Equal(t, c.refused, refused.Message)
		})
	}
}
