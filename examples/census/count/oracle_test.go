package count

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The standard library's scanner and parser know Go exactly; our counting, which knows only strings, comments and
// brackets, has to come to the same for every Go file of this project.
func TestGoFilesOfThisProjectCountAsTheStandardLibraryReadsThem(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	files := 0
	got, want := Report{}, Report{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && foreign(name):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		ours, theirs := Report{}, Report{"Go": byStandardLibrary(t, name, text)}
		ours.Count(name, text)
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%s (-standard library +ours):\n%s", name, diff)
		}
		got.Merge(ours)
		want.Merge(theirs)
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, got))
	require.GreaterOrEqual(t, files, 20, "the walk has found this project")
}

// foreign tells folders that are not the project's own sources: git's, copies that the demo made, and inputs of tests,
// which may be broken on purpose.
func foreign(name string) bool {
	copied, _ := filepath.Match("examples/*/work", name)
	base := filepath.Base(name)
	return copied || base == "testdata" || base != "." && strings.HasPrefix(base, ".")
}

// byStandardLibrary counts one Go file by its tokens and its syntax tree.
func byStandardLibrary(t *testing.T, name string, text []byte) Sum {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(pos token.Position, msg string) { t.Errorf("%s: %s", pos, msg) }, scanner.ScanComments)
	code, comment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && literal != ";" { // implied by the line's end
			continue
		}
		into := code
		if tok == token.COMMENT {
			into = comment
		}
		first := file.Line(pos)
		for n := first; n <= first+strings.Count(literal, "\n"); n++ {
			into[n] = true
		}
	}
	sum := Sum{Files: 1}
	for n, line := range bytes.SplitAfter(text, []byte("\n")) {
		switch {
		case len(line) == 0: // after the last line feed
			continue
		case len(bytes.TrimSpace(line)) == 0:
			sum.Blank++
		case code[n+1]:
			sum.Code++
		case comment[n+1]:
			sum.Comment++
		default:
			t.Errorf("%s:%d: no token in a line that is not blank", name, n+1)
		}
		sum.Lines++
	}
	sum.Longest = longestDeclaration(t, name, text)
	return sum
}

func longestDeclaration(t *testing.T, name string, text []byte) *Function {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	var longest *Function
	for _, decl := range tree.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is || f.Body == nil {
			continue
		}
		first, last := fset.PositionFor(f.Pos(), false).Line, fset.PositionFor(f.End(), false).Line
		full := f.Name.Name
		if f.Recv != nil {
			full = receiverType(f.Recv.List[0].Type) + "." + full
		}
		if longest == nil || last-first+1 > longest.Lines {
			longest = &Function{Name: full, File: name, Line: first, Lines: last - first + 1}
		}
	}
	return longest
}

func receiverType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverType(e.X)
	case *ast.ParenExpr:
		return receiverType(e.X)
	case *ast.IndexExpr:
		return receiverType(e.X)
	case *ast.IndexListExpr:
		return receiverType(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
