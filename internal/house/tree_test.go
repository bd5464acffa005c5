package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository, seen from this folder, where `go test` runs these tests.
const root = "../.."

// source is one text file of the repository.
type source struct {
	path string // from the repository's root, with slashes
	text string
	tree *ast.File // nil unless it is Go
	fset *token.FileSet
}

// folder is the source's folder, "." for the root.
func (s source) folder() string { return path.Dir(s.path) }

// line says where a node begins, the way compilers do.
func (s source) line(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// isTest reports whether the file is only ever linked into tests: by its name, because it is in the folder whose
// packages start the real programs, or because its package is named as a helper of tests, the way httptest is.
func (s source) isTest() bool {
	return strings.HasSuffix(s.path, "_test.go") || under(s.path, "integration/...") || isHelper(s.folder())
}

// isHelper reports whether a package is a helper of tests by its name.
func isHelper(name string) bool { return strings.HasSuffix(name, "test") }

// isGuest reports whether the file is part of a program that runs in the sandbox: it has no world to keep clean.
func (s source) isGuest() bool {
	return under(s.path, "examples/...") || strings.Contains(s.path, "/testdata/")
}

// under reports whether a slash-separated path is the pattern's folder or, when the pattern ends in "/...", below it.
func under(name, pattern string) bool {
	prefix, deep := strings.CutSuffix(pattern, "/...")
	return name == prefix || deep && strings.HasPrefix(name, prefix+"/")
}

// textSuffixes are the kinds of file that people write here. A script has no suffix: it is found by its first line.
var textSuffixes = []string{".go", ".c", ".h", ".proto", ".sh", ".yml", ".yaml", ".md", ".wat", ".mod"}

// unowned are the texts that others wrote (the vendored annotations) or that a program wrote.
func unowned(name string) bool {
	return under(name, "proto/buf/...") || strings.HasSuffix(name, ".pb.go")
}

// repository reads every text of ours. It walks the folders and does not ask git, so that the tests also pass in a
// source archive; what a build or a run leaves behind (see .gitignore) is passed over by its place.
func repository(t *testing.T) []source {
	t.Helper()
	var sources []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		if entry.IsDir() {
			if slices.Contains([]string{".git", ".cache", "bin"}, rel) || isRun(rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || unowned(rel) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if slices.Contains(textSuffixes, path.Ext(rel)) || strings.HasPrefix(string(data), "#!") {
			sources = append(sources, parse(t, rel, string(data)))
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	return sources
}

// isRun reports whether a folder is what an example leaves when it runs.
func isRun(rel string) bool {
	for _, pattern := range []string{"examples/*/state", "examples/*/work"} {
		if ok, _ := path.Match(pattern, rel); ok {
			return true
		}
	}
	return false
}

// parse makes a source of a text, which need not be on disk.
func parse(t *testing.T, name, text string) source {
	t.Helper()
	s := source{path: name, text: text, fset: token.NewFileSet()}
	if path.Ext(name) == ".go" {
		tree, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		s.tree = tree
	}
	return s
}

// imports are the import paths of a Go file, in its order.
func (s source) imports() []string {
	if s.tree == nil {
		return nil
	}
	paths := make([]string, 0, len(s.tree.Imports))
	for _, spec := range s.tree.Imports {
		value, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, value)
		}
	}
	return paths
}
