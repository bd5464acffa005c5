package house_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// maxLines is the longest that any file of ours may be, tests and documents too.
const maxLines = 600

func length(s source) []string {
	if n := strings.Count(s.text, "\n"); n > maxLines {
		return []string{fmt.Sprintf("%s: %d lines, more than %d", s.path, n, maxLines)}
	}
	return nil
}

// later are the words that promise work; put together here so that this file does not hold them.
var later = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

func leftovers(s source) []string {
	return matches(s, later, "do it or file an issue")
}

// home finds paths into somebody's home folder.
var home = regexp.MustCompile(`(^|[^\w./-])/(home/\w|Users/\w|root/)`)

func machines(s source) []string {
	return append(matches(s, home, "a path of one machine"), mentions(s, thisMachine())...)
}

func mentions(s source, paths []string) []string {
	var broken []string
	for _, p := range paths {
		if strings.Contains(s.text, p) {
			broken = append(broken, fmt.Sprintf("%s: %s is a path of this machine", s.path, p))
		}
	}
	return broken
}

// thisMachine lists where this repository and the user's home are, when these are long enough to mean anything.
func thisMachine() []string {
	var paths []string
	repo, _ := filepath.Abs(root)
	user, _ := os.UserHomeDir()
	for _, p := range []string{repo, user} {
		if strings.Count(filepath.Clean(p), string(filepath.Separator)) >= 2 {
			paths = append(paths, p)
		}
	}
	return paths
}

func matches(s source, pattern *regexp.Regexp, why string) []string {
	var broken []string
	for i, line := range strings.Split(s.text, "\n") {
		if found := pattern.FindString(line); found != "" {
			broken = append(broken, fmt.Sprintf("%s:%d: %q: %s", s.path, i+1, found, why))
		}
	}
	return broken
}

// docs finds packages without a doc.go that begins with "Package" or "Command". A guest is described by its manifest
// or by the test that runs it, a folder of tests alone by what it tests.
func docs(sources []source) []string {
	type folder struct{ code, doc bool }
	folders := map[string]*folder{}
	for _, s := range sources {
		f := folders[s.folder()]
		if f == nil {
			f = &folder{}
			folders[s.folder()] = f
		}
		switch base := path.Base(s.path); {
		case base == "doc.go":
			text := s.tree.Doc.Text()
			f.doc = strings.HasPrefix(text, "Package ") || strings.HasPrefix(text, "Command ")
			f.code = true
		case s.tree != nil && !strings.HasSuffix(base, "_test.go") && !s.isGuest():
			f.code = true
		}
	}
	var broken []string
	for name, f := range folders {
		if f.code && !f.doc {
			broken = append(broken, name+": no doc.go that begins with Package or Command")
		}
	}
	return broken
}
