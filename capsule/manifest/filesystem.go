package manifest

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxPath bounds a path in a manifest, in bytes.
	maxPath = 1024
	// maxComponent is the longest name of a file, from Linux.
	maxComponent = 255
	// maxReadOnly bounds the entries of filesystem.read_only: the worker holds a
	// descriptor for each.
	maxReadOnly = 64
)

// manifest is the block with its paths clean and each once. It is called when
// filesystem has found nothing wrong.
func (f *filesystem) manifest() Filesystem {
	out := Filesystem{}
	if f.Scope != nil {
		if out.Scope = path.Clean(*f.Scope); out.Scope == "." {
			out.Scope = ""
		}
	}
	out.ReadOnly = cleaned(f.ReadOnly)
	return out
}

func (c *checker) filesystem(f *filesystem) {
	if f.Scope != nil {
		if why := unfit(*f.Scope); why != "" {
			c.fault("capabilities.filesystem.scope", CodeScope, "%.80q is no folder beneath the work folder: %s", *f.Scope, why)
		}
	}
	if n := len(f.ReadOnly); n > maxReadOnly {
		c.fault("capabilities.filesystem.read_only", CodeReadOnly, "%d entries, the limit is %d", n, maxReadOnly)
		return
	}
	for i, entry := range f.ReadOnly {
		if why := unfit(entry); why != "" {
			c.fault(fmt.Sprintf("capabilities.filesystem.read_only[%d]", i), CodeReadOnly, "%.80q is no path beneath the capsule's folder: %s", entry, why)
		}
	}
}

// unfit says why a text cannot name something beneath a folder, or nothing. A ".."
// is refused even where it climbs no higher than it came: behind a link it would.
func unfit(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxPath:
		return fmt.Sprintf("it has %d bytes, the limit is %d", len(name), maxPath)
	case strings.HasPrefix(name, "/"):
		return "it is absolute"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "it holds what no path should"
	}
	for component := range strings.SplitSeq(name, "/") {
		switch {
		case component == "..":
			return "it climbs"
		case len(component) > maxComponent:
			return fmt.Sprintf("a name in it has %d bytes, the limit is %d", len(component), maxComponent)
		}
	}
	return ""
}
