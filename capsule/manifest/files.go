package manifest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// maxRequiresFiles bounds requires_files: each costs an open whenever the package
// is read.
const maxRequiresFiles = 256

// requiresFiles checks names that must be the same file in a folder and in an
// archive, on any machine.
func (c *checker) requiresFiles(files []string) {
	if n := len(files); n > maxRequiresFiles {
		c.fault("requires_files", CodeFiles, "%d entries, the limit is %d", n, maxRequiresFiles)
		return
	}
	seen := map[string]string{}
	for i, name := range files {
		why := unfit(name)
		switch {
		case why != "":
		case path.Clean(name) == ".":
			why = "it is the package itself"
		case strings.Contains(name, `\`):
			why = "it holds a backslash"
		default:
			folded := strings.ToLower(path.Clean(name))
			if other, found := seen[folded]; found && other != path.Clean(name) {
				why = fmt.Sprintf("it differs from %.80q by case alone", other)
			}
			seen[folded] = path.Clean(name)
		}
		if why != "" {
			c.fault(fmt.Sprintf("requires_files[%d]", i), CodeFiles, "%.80q is no file of the package: %s", name, why)
		}
	}
}

// cleaned is a list of paths, clean and each once. It is called when nothing was
// wrong with them.
func cleaned(paths []string) (out []string) {
	for _, entry := range paths {
		if entry = path.Clean(entry); !slices.Contains(out, entry) {
			out = append(out, entry)
		}
	}
	return out
}
