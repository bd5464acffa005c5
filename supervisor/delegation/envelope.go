package delegation

import (
	"slices"

	"rookery/capsule/manifest"
	"rookery/capsule/outcome"
)

// fits reports the first capability of child that parent does not have: a child is refused, never narrowed. The axes are those that
// this build grants at all.
func fits(parent, child *manifest.Manifest) *Refusal {
	for _, axis := range []struct {
		key   string
		child []string
		has   func(string) bool
	}{
		{"capabilities.spawn.allow", child.Capabilities.SpawnAllow, func(name string) bool { return parent.MaySpawn(outcome.Bare(name)) }},
		{"capabilities.env.allow", child.Capabilities.EnvAllow, func(name string) bool { return slices.Contains(parent.Capabilities.EnvAllow, name) }},
	} {
		for _, entry := range axis.child {
			if !axis.has(entry) {
				return refuse(CodeEnvelope, "%s of %s names %q, which %s does not have", axis.key, child.Name, entry, parent.Name)
			}
		}
	}
	return nil
}
