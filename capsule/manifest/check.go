package manifest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"rookery/capsule/strictyaml"
)

// checker looks at the values of keys that this build acts on.
type checker struct {
	document *strictyaml.Document
	wrong    map[string]bool // fields that have a fault already
	faults   strictyaml.Faults
	warnings strictyaml.Faults
}

func (c *checker) fault(path, code, format string, args ...any) {
	if !c.wrong[path] {
		c.faults = append(c.faults, c.document.Fault(path, code, format, args...))
	}
}

func (c *checker) manifest(w *written) {
	c.name(w.Name)
	c.version(w.Version)
	c.requiresFiles(w.RequiresFiles)
	c.spawn(w.Capabilities.Spawn.Allow)
	c.env(w.Capabilities.Env.Allow)
	c.limits(&w.Capabilities.Limits)
	c.filesystem(&w.Capabilities.Filesystem)
	c.positive("capabilities.resources.workdir_max_bytes", int64(w.Capabilities.Resources.WorkdirMaxBytes), math.MaxInt64)
	c.positive("capabilities.resources.workdir_max_files", w.Capabilities.Resources.WorkdirMaxFiles, math.MaxInt64)
	c.containment(w.Capabilities.Containment)
	c.lifecycle(&w.Lifecycle)
	if len(w.Capabilities.Spawn.Allow) > 0 && c.has("network.authentication") {
		c.fault("capabilities.spawn.allow", CodeInvalid, "it excludes network.authentication: nobody could tell an authenticated door that a child has ended")
	}
}

func (c *checker) has(path string) bool {
	for _, key := range c.document.Keys() {
		if key.Path == path {
			return true
		}
	}
	return false
}

// maxName is the longest name of a package, from the format.
const maxName = 100

func (c *checker) name(name string) {
	switch {
	case name == "":
		c.fault("name", CodeMissing, "a capsule needs a name")
	case !bareName(name):
		c.fault("name", CodeName, "%.120q is not a name: use a-z, 0-9 and -, no - at either end, at most %d characters", name, maxName)
	}
}

func bareName(name string) bool {
	return name != "" && len(name) <= maxName && !strings.HasPrefix(name, "-") && !strings.HasSuffix(name, "-") &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func bare(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// maxVersion bounds a version: it becomes part of file names.
const maxVersion = 64

func (c *checker) version(version string) {
	switch {
	case version == "":
		c.fault("version", CodeMissing, "a capsule needs a version")
	case version == "latest" || version == "stable" || version == "edge":
		c.fault("version", CodeReservedVersion, "%q names no exact version", version)
	case !ExactVersion(version):
		c.fault("version", CodeInvalid, "%.80q is not a version: use letters, digits and . + - after a first digit or letter, at most %d characters", version, maxVersion)
	}
}

// ExactVersion reports whether a text can be the version of a capsule: not empty,
// not one of the moving names latest, stable and edge, and safe in a file name.
func ExactVersion(version string) bool {
	switch version {
	case "", "latest", "stable", "edge":
		return false
	}
	for i := range len(version) {
		c := version[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || strings.IndexByte(".+-", c) < 0) {
			return false
		}
	}
	return len(version) <= maxVersion
}

func (c *checker) spawn(allow []string) {
	for i, name := range allow {
		owner, _, owned := strings.Cut(name, "/")
		if !bareName(bare(name)) || owned && (!bareName(owner) || strings.Count(name, "/") > 1) {
			c.fault(fmt.Sprintf("capabilities.spawn.allow[%d]", i), CodeInvalid, "%.120q is not a capsule's name", name)
		}
	}
}

func (c *checker) limits(l *limits) {
	for _, limit := range []struct {
		key   string
		value int64
		most  int64
	}{
		{"memory_bytes", int64(l.MemoryBytes), math.MaxInt64},
		{"table_elements", l.TableElements, math.MaxInt64},
		{"instances", l.Instances, math.MaxInt64},
		{"deadline_seconds", l.DeadlineSeconds, maxSeconds},
	} {
		c.positive("capabilities.limits."+limit.key, limit.value, limit.most)
	}
}

// maxSeconds is the longest time that a time.Duration holds, in seconds.
const maxSeconds = math.MaxInt64 / int64(time.Second)

func (c *checker) positive(path string, value, most int64) {
	switch {
	case value <= 0:
		c.fault(path, CodeInvalid, "%d is not above zero", value)
	case value > most:
		c.fault(path, CodeInvalid, "%d is more than %d", value, most)
	}
}

func (c *checker) containment(class string) {
	switch class {
	case string(Advisory):
	case "scoped", "sealed":
		c.fault("capabilities.containment", CodeContainment, "%s is not reached by this build, only advisory", class)
	default:
		c.fault("capabilities.containment", CodeInvalid, "%.40q is not one of advisory, scoped, sealed", class)
	}
}

func (c *checker) lifecycle(l *lifecycle) {
	c.positive("lifecycle.delegation_deadline_secs", l.DelegationDeadlineSecs, maxSeconds)
	c.one("lifecycle.task_acceptance", l.TaskAcceptance, "single", "none", "queue")
	c.one("lifecycle.after_task", l.AfterTask, "exit", "sleep")
}

// one checks a word of which this build can do only the first.
func (c *checker) one(path, value, built string, others ...string) {
	if value == built {
		return
	}
	for _, other := range others {
		if value == other {
			c.fault(path, CodeNotBuilt, "%s is not built yet, only %s", value, built)
			return
		}
	}
	c.fault(path, CodeInvalid, "%.40q is not one of %s, %s", value, built, strings.Join(others, ", "))
}
