package delegation

import (
	"slices"
	"strings"

	"rookery/capsule/manifest"
	"rookery/capsule/outcome"
)

// fits reports the first capability of child that parent does not have: a child is refused, never narrowed. The axes are those that
// this build grants at all. Not among them is the deadline of a task, which gives a child nothing: its delegation ends at the parent's
// bound, and with the parent. Mounts are the fleet's to give, by name.
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
	if refused := fitsScope(parent, child); refused != nil {
		return refused
	}
	return fitsNumbers(parent, child)
}

// fitsScope compares folders by name: a parent that sees all of its work folder covers every scope, one that does not covers what lies
// beneath its own.
func fitsScope(parent, child *manifest.Manifest) *Refusal {
	own, theirs := parent.Capabilities.Filesystem.Scope, child.Capabilities.Filesystem.Scope
	switch {
	case own == "" || theirs == own || strings.HasPrefix(theirs, own+"/"):
		return nil
	case theirs == "":
		return refuse(CodeEnvelope, "capabilities.filesystem.scope of %s is the whole work folder, of %s only %q", child.Name, parent.Name, own)
	}
	return refuse(CodeEnvelope, "capabilities.filesystem.scope of %s is %q, which lies outside %q of %s", child.Name, theirs, own, parent.Name)
}

// fitsNumbers compares the limits that bound what a capsule may use.
func fitsNumbers(parent, child *manifest.Manifest) *Refusal {
	own, theirs := &parent.Capabilities, &child.Capabilities
	for _, axis := range []struct {
		key         string
		own, theirs int64
	}{
		{"limits.memory_bytes", own.Limits.MemoryBytes, theirs.Limits.MemoryBytes},
		{"limits.table_elements", own.Limits.TableElements, theirs.Limits.TableElements},
		{"limits.instances", own.Limits.Instances, theirs.Limits.Instances},
		{"resources.workdir_max_bytes", own.Resources.WorkdirMaxBytes, theirs.Resources.WorkdirMaxBytes},
		{"resources.workdir_max_files", own.Resources.WorkdirMaxFiles, theirs.Resources.WorkdirMaxFiles},
	} {
		if axis.theirs > axis.own {
			return refuse(CodeEnvelope, "capabilities.%s of %s is %d, more than %d of %s", axis.key, child.Name, axis.theirs, axis.own, parent.Name)
		}
	}
	return nil
}
