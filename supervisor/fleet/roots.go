package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"rookery/capsule/manifest"
	"rookery/capsule/strictyaml"
)

// MaxTask bounds a root's task, in bytes: as much as a guest's own request may
// have.
const MaxTask = 1 << 20

const (
	// maxID bounds an id; it is shown in tables and logs.
	maxID = 64
	// maxName is the longest name of a package, from the manifest's format.
	maxName = 100
)

func (c *checker) roots(written []capsule) []Root {
	ids := c.ids(written)
	var roots []Root
	for i := range written {
		w := &written[i]
		at := fmt.Sprintf("capsules[%d]", i)
		c.named(at, w)
		c.env(at, w.Env)
		c.identity(at, identity{Owner: w.Owner, Scope: w.Scope})
		if w.Sensitivity != "" {
			c.one(at+".sensitivity", w.Sensitivity, []string{"public"}, []string{"internal", "confidential", "secret"})
		}
		task, hasTask := c.task(at, w)
		roots = append(roots, Root{
			ID: ids[i], Name: w.Name, Version: w.Version, HasTask: hasTask, Task: task,
			Workdir: c.path(at+".workdir", w.Workdir), Env: w.Env, Restart: c.restart(at+".restart", &w.Restart),
		})
	}
	return roots
}

// ids gives every capsule its id: first those that are written, then for the
// others the name, or the first of name-2, name-3 … that is free.
func (c *checker) ids(written []capsule) []string {
	owner := map[string]int{}
	ids := make([]string, len(written))
	for i, w := range written {
		field := fmt.Sprintf("capsules[%d].id", i)
		if w.ID == "" {
			continue
		}
		first, taken := owner[w.ID]
		switch {
		case !plain(w.ID):
			c.bad(field, "%.80q is not an id: use letters, digits and . _ - after a first letter or digit, at most %d characters", w.ID, maxID)
		case taken:
			c.fault(field, CodeDuplicateID, "%q is the id of capsules[%d] already", w.ID, first)
		default:
			owner[w.ID] = i
		}
		ids[i] = w.ID
	}
	next := map[string]int{} // the number to try, so that many of one name take no long search
	for i, w := range written {
		for ids[i] == "" {
			next[w.Name]++
			id := w.Name
			if n := next[w.Name]; n > 1 {
				id = fmt.Sprintf("%s-%d", w.Name, n)
			}
			if _, taken := owner[id]; !taken {
				owner[id], ids[i] = i, id
			}
			if w.Name == "" {
				break // it has a fault already
			}
		}
	}
	return ids
}

// plain reports whether a text is safe to show and to compare.
func plain(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("._-", c) < 0) {
			return false
		}
	}
	return text != "" && len(text) <= maxID
}

func (c *checker) named(at string, w *capsule) {
	switch {
	case w.Name == "":
		c.missing(at, "name", "a capsule of the fleet is named")
	case !bareName(w.Name):
		c.bad(at+".name", "%.120q is not a capsule's name", w.Name)
	}
	switch {
	case w.Version == "":
		c.missing(at, "version", "a capsule of the fleet has one exact version")
	case !manifest.ExactVersion(w.Version):
		c.bad(at+".version", "%.80q is not one exact version", w.Version)
	}
}

// missing faults a key of a capsule that is not there, unless it is there and
// wrong.
func (c *checker) missing(at, key, why string) {
	if !c.wrong[at] {
		c.fault(at+"."+key, CodeMissing, "%s", why)
	}
}

// bareName reports whether a text can be a capsule's name: the manifest's rule,
// without an owner.
func bareName(name string) bool {
	return name != "" && len(name) <= maxName && !strings.HasPrefix(name, "-") && !strings.HasSuffix(name, "-") &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// envName reports whether a text is a variable's name as a shell takes it.
func envName(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') &&
		strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// hostOwned are variables that the host sets itself or that no capsule gets.
func hostOwned(name string) bool {
	return name == "PATH" || name == "HOME" || strings.HasPrefix(name, "MURMUR_")
}

func (c *checker) env(at string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		bad := func(format string, args ...any) {
			fault := c.document.Fault(at+".env."+name, strictyaml.CodeValue, format, args...)
			fault.Field = at + ".env" // the name is shown in the message, quoted
			c.faults = append(c.faults, fault)
		}
		switch {
		case !envName(name):
			bad("%.80q is not the name of a variable", name)
		case hostOwned(name):
			bad("the host sets %q itself", name)
		case strings.ContainsRune(env[name], 0):
			bad("the value of %q holds a NUL", name)
		}
	}
}

// task returns the task's text and whether there is one.
func (c *checker) task(at string, w *capsule) (string, bool) {
	switch {
	case w.Task != nil && w.TaskFile != nil:
		c.bad(at+".task_file", "task is there too: give one of them")
	case w.TaskFile != nil && *w.TaskFile == "":
		c.bad(at+".task_file", "this names no file")
	case w.TaskFile != nil:
		data, err := readBounded(c.path(at+".task_file", *w.TaskFile), MaxTask)
		switch {
		case err != nil:
			c.fault(at+".task_file", CodeTaskFile, "%.200q: %v", *w.TaskFile, err)
		case !utf8.Valid(data):
			c.fault(at+".task_file", CodeTaskFile, "%.200q: not UTF-8", *w.TaskFile)
		}
		return string(data), true
	case w.Task != nil:
		return *w.Task, true
	}
	return "", false
}
