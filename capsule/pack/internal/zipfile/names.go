package zipfile

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// folder reports whether the entry is one: by its name, as the format has it.
func (e *Entry) folder() bool { return strings.HasSuffix(e.Name, "/") }

// checkName refuses names that mean different files to different readers. One that
// is outside is looked at here like any other.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("it has no name")
	case len(name) > maxName:
		return fmt.Errorf("its name has %d bytes, the limit is %d", len(name), maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("its name holds what no name should")
	case strings.Contains(name, `\`):
		return errors.New("its name holds a backslash")
	case outside(name):
		return nil
	case path.Clean(name) != strings.TrimSuffix(name, "/") || path.Clean(name) == ".":
		return errors.New(`its name has an empty or "." segment`)
	}
	return nil
}

// outside reports whether a name leads out of the archive's root, or would if
// something were unpacked by it.
func outside(name string) bool {
	if strings.HasPrefix(name, "/") {
		return true
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}

// distinct refuses two names that are one name where case, slashes or dots do not
// count.
func distinct(entries []*Entry) error {
	seen := map[string]string{}
	for _, entry := range entries {
		key := strings.ToLower(path.Clean("/" + entry.Name))
		if other, found := seen[key]; found {
			return fmt.Errorf("the entries %.120q and %.120q have one name", other, entry.Name)
		}
		seen[key] = entry.Name
	}
	return nil
}
