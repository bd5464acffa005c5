package fleet

import (
	"fmt"
	"path/filepath"
	"strings"

	"rookery/capsule/strictyaml"
)

// The codes of this package's faults; strictyaml's stand beside them.
const (
	// CodeNotBuilt is a value that asks for what this build does not do.
	CodeNotBuilt = "not_built"
	// CodeMissing is a key that must be there.
	CodeMissing = "missing"
	// CodeDuplicateID is an id that two capsules have.
	CodeDuplicateID = "duplicate_id"
	// CodeMount is a folder of the host that cannot be mounted.
	CodeMount = "mount"
	// CodeTaskFile is a task file that cannot be read.
	CodeTaskFile = "task_file"
	// CodeNoEffect warns of a value that changes nothing.
	CodeNoEffect = "no_effect"
)

// checker looks at the values of a file and makes the fleet of them.
type checker struct {
	document *strictyaml.Document
	folder   string
	options  Options
	wrong    map[string]bool // fields that have a fault already
	faults   strictyaml.Faults
	warnings strictyaml.Faults
}

func (c *checker) fault(path, code, format string, args ...any) {
	if !c.wrong[path] {
		c.wrong[path] = true
		c.faults = append(c.faults, c.document.Fault(path, code, format, args...))
	}
}

func (c *checker) notBuilt(path, format string, args ...any) {
	c.fault(path, CodeNotBuilt, "not built yet: %s", fmt.Sprintf(format, args...))
}

func (c *checker) bad(path, format string, args ...any) {
	c.fault(path, strictyaml.CodeValue, format, args...)
}

func (c *checker) fleet(w *written) *Fleet {
	switch {
	case w.Version == 0 && !c.wrong["version"]:
		c.fault("version", CodeMissing, "a fleet file says version: 1")
	case w.Version != 1:
		c.bad("version", "version %d of the format is not read by this build, only 1", w.Version)
	}
	c.listeners(w)
	c.unbuilt(w)
	c.one("containment", w.Containment, []string{"auto", "advisory"}, []string{"scoped", "sealed"})
	if w.OrphanTimeout <= 0 {
		c.bad("orphan_timeout", "it must be longer than nothing")
	}
	return &Fleet{
		Operator:      c.operator(&w.Operator),
		StateDir:      c.path("state_dir", w.StateDir),
		Store:         c.store(w),
		Containment:   w.Containment,
		Limits:        c.limits(&w.Limits),
		OrphanTimeout: w.OrphanTimeout.Std(),
		Retention:     c.retention(&w.Retention),
		Roots:         c.roots(w.Capsules),
		Mounts:        c.mounts(w.Mounts),
	}
}

// listeners checks what would be listened on.
func (c *checker) listeners(w *written) {
	if w.HTTP.Listen != "" {
		c.notBuilt("http.listen", "there is no dashboard; leave it empty")
	}
	c.one("doors.default", w.Doors.Default, []string{"open"}, []string{"token"})
}

// unbuilt refuses whole sections that this build does not act on.
func (c *checker) unbuilt(w *written) {
	switch {
	case w.WarmWorkers < 0:
		c.bad("warm_workers", "%d is below zero", w.WarmWorkers)
	case w.WarmWorkers > 0:
		c.notBuilt("warm_workers", "every worker is started when it is needed; only 0 is accepted")
	}
	c.identity("identity", w.Identity)
	if len(w.Peers) > 0 {
		c.notBuilt("peers", "capsules cannot call peers")
	}
}

func (c *checker) identity(path string, who identity) {
	if who.Owner != "" {
		c.notBuilt(path+".owner", "capsules act for nobody")
	}
	if len(who.Scope) > 0 {
		c.notBuilt(path+".scope", "capsules act for nobody")
	}
}

// one checks a word that has some values that are built and some that are not.
func (c *checker) one(path, value string, built, unbuilt []string) {
	for _, word := range built {
		if value == word {
			return
		}
	}
	for _, word := range unbuilt {
		if value == word {
			c.fault(path, CodeNotBuilt, "%s is not built yet, only %s", word, strings.Join(built, " and "))
			return
		}
	}
	c.bad(path, "%.40q is not one of %s", value, strings.Join(append(append([]string{}, built...), unbuilt...), ", "))
}

// path makes a path of the file absolute; none stays none.
func (c *checker) path(field, path string) string {
	switch {
	case path == "":
		return ""
	case strings.ContainsRune(path, 0):
		c.bad(field, "a path holds no NUL")
		return ""
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	default:
		return filepath.Join(c.folder, path)
	}
}

func (c *checker) store(w *written) []string {
	if len(w.Store) == 0 && len(w.Capsules) > 0 && !c.wrong["store"] {
		c.fault("store", CodeMissing, "name at least one folder where the capsules are found")
	}
	seen := map[string]int{}
	var store []string
	for i, folder := range w.Store {
		field := fmt.Sprintf("store[%d]", i)
		path := c.path(field, folder)
		first, twice := seen[path]
		switch {
		case folder == "":
			c.bad(field, "this names no folder")
		case twice:
			c.bad(field, "this is the folder of store[%d] again", first)
		default:
			seen[path] = i
			store = append(store, path)
		}
	}
	return store
}

func (c *checker) limits(l *limits) Limits {
	for _, limit := range []struct {
		key          string
		value, least int
	}{
		{"max_depth", l.MaxDepth, 0},
		{"max_children", l.MaxChildren, 0},
		{"max_spawns_per_root", l.MaxSpawnsPerRoot, 0},
		{"spawn_burst", l.SpawnBurst, 1},
	} {
		if limit.value < limit.least || limit.value > maxCount {
			c.bad("limits."+limit.key, "%d is not a number from %d to %d", limit.value, limit.least, maxCount)
		}
	}
	return Limits{
		MaxDepth: l.MaxDepth, MaxChildren: l.MaxChildren, MaxLiveCapsules: l.MaxLiveCapsules.capsules(Cores()),
		MaxSpawnsPerRoot: l.MaxSpawnsPerRoot, SpawnRate: l.SpawnRate, SpawnBurst: l.SpawnBurst,
	}
}
