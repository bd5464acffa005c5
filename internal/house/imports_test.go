package house_test

import (
	"fmt"
	"strings"
)

// module is the prefix of our own import paths.
const module = "rookery/"

// mayImport says, for each area of the repository, which other areas its packages may import: arrows point down only.
// An area always may import itself. Tests follow the same arrows as the code they test.
var mayImport = map[string][]string{
	"supervisor":     {"launcher", "capsule", "proto"},
	"launcher":       {"capsule", "proto"},
	"worker":         {"capsule", "proto"},
	"capsule":        {"proto"},
	"proto":          {},
	"sdk":            {}, // what a capsule's author imports brings nothing of the host with it
	"examples":       {"sdk"},
	"integration":    {"supervisor", "launcher", "worker", "capsule", "proto", "sdk", "internal/tools"},
	"internal/tools": {"supervisor", "launcher", "worker", "capsule", "proto", "sdk"},
	"internal/house": {},
}

// area is the longest entry of mayImport that holds the package or folder, "" when none does.
func area(name string) string {
	best := ""
	for candidate := range mayImport {
		if under(name, candidate+"/...") && len(candidate) > len(best) {
			best = candidate
		}
	}
	return best
}

func arrows(s source) []string {
	var broken []string
	from := area(s.folder())
	if s.tree != nil && from == "" {
		return []string{s.path + ": no law says what this folder may import: add it to mayImport"}
	}
	for _, imported := range s.imports() {
		name, ours := strings.CutPrefix(imported, module)
		if !ours {
			continue
		}
		to, allowed := area(name), false
		for _, other := range append([]string{from}, mayImport[from]...) {
			allowed = allowed || to == other
		}
		if !allowed {
			broken = append(broken, fmt.Sprintf("%s: %s may not import %s", s.path, from, imported))
		}
	}
	return broken
}

// users says which folders or files alone may import a library, its sub-packages and its other major versions.
var users = map[string][]string{
	"go.etcd.io/bbolt": {"supervisor/store/..."},
	// Moving to another engine is a change in one folder.
	"github.com/bytecodealliance/wasmtime-go": {"worker/sandbox/..."},
	// The benchmarks measure an empty plugin beside our worker; the launcher's tests start a worker that misbehaves.
	"github.com/hashicorp/go-plugin": {
		"launcher/runner/...", "worker", "proto/plugin", "integration/bench/...", "launcher/fake_test.go",
	},
}

func onlyUsers(s source) []string {
	var broken []string
	for _, imported := range s.imports() {
		for library, folders := range users {
			if !under(imported, library+"/...") {
				continue
			}
			allowed := false
			for _, folder := range folders {
				allowed = allowed || under(s.folder(), folder) || s.path == folder
			}
			if !allowed {
				broken = append(broken, fmt.Sprintf("%s: only %s may import %s", s.path, strings.Join(folders, " "), imported))
			}
		}
	}
	return broken
}

// helpers finds programs that would link what only tests should.
func helpers(s source) []string {
	var broken []string
	for _, imported := range s.imports() {
		if !s.isTest() && strings.HasPrefix(imported, module) && isHelper(imported) {
			broken = append(broken, fmt.Sprintf("%s: only tests may import %s", s.path, imported))
		}
	}
	return broken
}
