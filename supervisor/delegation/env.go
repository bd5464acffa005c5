package delegation

import (
	"slices"

	"rookery/capsule/manifest"
)

// inherit is what of this session's values a child gets: the names that both manifests let through.
func (r *run) inherit(child *manifest.Manifest) map[string]string {
	out := map[string]string{}
	for name, value := range r.env {
		if slices.Contains(r.entry.Package.Manifest.Capabilities.EnvAllow, name) && slices.Contains(child.Capabilities.EnvAllow, name) {
			out[name] = value
		}
	}
	return out
}

// pick is what of a fleet entry's values a root gets: the names its manifest lets through.
func pick(values map[string]string, m *manifest.Manifest) map[string]string {
	out := map[string]string{}
	for _, name := range m.Capabilities.EnvAllow {
		if value, ok := values[name]; ok {
			out[name] = value
		}
	}
	return out
}
