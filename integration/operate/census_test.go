package operate_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// sum is what the census reports of one language, as far as it is counted again here.
type sum struct {
	Files   int       `json:"files"`
	Lines   int       `json:"lines"`
	Code    int       `json:"code"`
	Comment int       `json:"comment"`
	Blank   int       `json:"blank"`
	Longest *function `json:"longest"`
}

type function struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Lines int    `json:"lines"`
}

// census is out/report.json of the orchestrator.
type census struct {
	Complete  bool           `json:"complete"`
	Languages map[string]sum `json:"languages"`
	Total     sum            `json:"total"`
	Shards    int            `json:"shards"`
	Lost      []any          `json:"lost"`
	LeftOut   []struct {
		Path string `json:"path"`
	} `json:"left_out"`
}

func TestTheCensusOfATreeIsWhatAnIndependentCountSays(t *testing.T) {
	t.Parallel()
	rig.Heavy(t)
	work := rig.Dir(t)
	want := map[string]sum{}
	for _, folder := range []string{"capsule", "launcher", "supervisor/delegation", "sdk"} {
		require.NoError(t, copySources(rig.Path("."), folder, filepath.Join(work, "src"), want))
	}
	require.NoError(t, os.WriteFile(filepath.Join(work, "src", "tool.py"), []byte("#!/usr/bin/env python3\n# one\nx = 1 # two\n\nprint(x)"), 0o600))
	want["Python"] = sum{Files: 1, Lines: 5, Code: 2, Comment: 2, Blank: 1}
	// What is no text is left out by name.
	require.NoError(t, os.WriteFile(filepath.Join(work, "src", "binary"), []byte{0, 1, 2}, 0o600))

	h := rig.Start(t, rig.Fleet{
		Store:    []string{rig.Path("examples/census/capsules")},
		Capsules: []rig.Root{{Name: "orchestrator", Task: "Take a census of src/.", Workdir: work}},
	}, rig.Flags("--once"))
	assert.Equal(t, 0, h.Exit(time.Minute))
	h.NothingLeft()

	ends := h.Ends("orchestrator")
	require.Len(t, ends, 1)
	assert.True(t, strings.HasPrefix(h.Stdout(), "== orchestrator "+ends[0].SessionID+" ok\n"), h.Stdout())
	raw, err := os.ReadFile(filepath.Join(work, "out", "report.json"))
	require.NoError(t, err)
	var got census
	require.NoError(t, json.Unmarshal(raw, &got))
	assert.True(t, got.Complete)
	assert.Empty(t, got.Lost)
	assert.Greater(t, got.Shards, 4, "a tree that one child counts alone shows no delegation")
	assert.Len(t, h.Completions("counter"), got.Shards)
	assert.Equal(t, want, got.Languages)
	require.Len(t, got.LeftOut, 1)
	assert.Equal(t, "binary", got.LeftOut[0].Path)
	total := sum{}
	for _, s := range want {
		total.Files, total.Lines, total.Code = total.Files+s.Files, total.Lines+s.Lines, total.Code+s.Code
		total.Comment, total.Blank = total.Comment+s.Comment, total.Blank+s.Blank
	}
	assert.Equal(t, total.Files, got.Total.Files)
	assert.Equal(t, total.Lines, got.Total.Lines)
	assert.Equal(t, total.Code, got.Total.Code)
	assert.Equal(t, total.Comment, got.Total.Comment)
	assert.Equal(t, total.Blank, got.Total.Blank)
}

// copySources copies the Go files of a folder and adds what an independent count says of them.
func copySources(root, folder, to string, want map[string]sum) error {
	return filepath.WalkDir(filepath.Join(root, folder), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o700); err != nil {
			return err
		}
		want["Go"] = plus(want["Go"], countGo(filepath.ToSlash(rel), text))
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
}

func plus(a, b sum) sum {
	a.Files, a.Lines, a.Code, a.Comment, a.Blank = a.Files+b.Files, a.Lines+b.Lines, a.Code+b.Code, a.Comment+b.Comment, a.Blank+b.Blank
	switch x, y := a.Longest, b.Longest; {
	case x == nil, y != nil && (y.Lines > x.Lines || y.Lines == x.Lines && (y.File < x.File || y.File == x.File && y.Line < x.Line)):
		a.Longest = y
	}
	return a
}

// countGo counts with the standard library's scanner and parser, which the capsule does not use.
func countGo(path string, text []byte) sum {
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0) // comments are passed over
	code := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // not written
		}
		first := file.Line(pos)
		for line := range bytes.Count([]byte(literal), []byte("\n")) + 1 {
			code[first+line] = true
		}
	}
	c := sum{Files: 1}
	for line := range bytes.Lines(text) {
		c.Lines++
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			c.Blank++
		case code[c.Lines]:
			c.Code++
		default:
			c.Comment++
		}
	}
	c.Longest = longestGo(path, text)
	return c
}

func longestGo(path string, text []byte) *function {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var longest *function
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		first, last := files.Position(f.Pos()).Line, files.Position(f.End()-1).Line
		if n := last - first + 1; longest == nil || n > longest.Lines {
			longest = &function{File: path, Line: first, Lines: n}
		}
	}
	return longest
}
