package count

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMergedShardsAreTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	whole := Report{}
	var shards []Report
	for i := range 12 {
		name, text := fmt.Sprintf("%d.go", i), strings.Repeat("// a\nfunc f() {\n}\n", 1+i%3)
		if i%4 == 0 {
			name, text = fmt.Sprintf("%d.md", i), "a\n\n"
		}
		shard := Report{}
		shard.Count(name, []byte(text))
		whole.Count(name, []byte(text))
		shards = append(shards, shard)
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
		merged := Report{}
		for _, shard := range shards {
			merged.Merge(shard)
		}
		require.Equal(t, whole, merged)
	}
	assert.Equal(t, &Function{Name: "f", File: "1.go", Line: 2, Lines: 2}, whole["Go"].Longest, "the first of equals")
	assert.Equal(t, 12, whole.Total().Files)
}

func TestAReportSurvivesJSON(t *testing.T) {
	t.Parallel()
	whole := Report{}
	whole.Count("a.go", []byte("func f() {\n}\n"))
	whole.Count("b.md", []byte("a\n"))
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"Go": {"files": 1, "lines": 2, "code": 2, "comment": 0, "blank": 0,
			"longest": {"name": "f", "file": "a.go", "line": 1, "lines": 2}},
		"Markdown": {"files": 1, "lines": 1, "code": 1, "comment": 0, "blank": 0}
	}`, string(text))
	var back Report
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, whole, back)
}

func TestAFunctionsNameIsBounded(t *testing.T) {
	t.Parallel()
	r := Report{}
	r.Count("a.go", []byte("func "+strings.Repeat("ö", 5000)+"() {\n}\n"))
	assert.Equal(t, strings.Repeat("ö", maxName/2), r["Go"].Longest.Name)
	r = Report{}
	r.Count("b.go", []byte("func a"+strings.Repeat("ö", 5000)+"() {\n}\n"))
	assert.Equal(t, "a"+strings.Repeat("ö", maxName/2-1), r["Go"].Longest.Name)
}

func TestTheLanguageIsThatOfTheName(t *testing.T) {
	t.Parallel()
	for file, language := range map[string]string{
		"a/b.GO": "Go", "a.h": "C", "a.rs": "Rust", "a.pyi": "Python", "a.tsx": "JavaScript/TypeScript", "a.bash": "Shell",
		"a.yml": "YAML", "README.md": "Markdown", "a.proto": "Protobuf", "a.wat": "WAT", "go.mod": "Other", "LICENSE": "Other",
		".gitignore": "Other", "a.cpp": "Other",
	} {
		r := Report{}
		r.Count(file, []byte("x\n"))
		assert.Contains(t, r, language, file)
	}
	r := Report{}
	r.Count("script", []byte("#!/usr/bin/env -S node --x\n"))
	assert.Contains(t, r, "JavaScript/TypeScript")
}

func FuzzCount(f *testing.F) {
	for _, text := range []string{"", "`${`", "r#\"", "'", "<<X\n", "/*\n", "a: |\n  b", "```\n<!--", "(func", "def a():\n\t\\", "{x(){"} {
		f.Add(text)
	}
	files := []string{"a.go", "a.c", "a.rs", "a.py", "a.js", "a.sh", "a.yaml", "a.md", "a.proto", "a.wat", "a"}
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range files {
			r := Report{}
			r.Count(file, []byte(text))
			sum := r.Total()
			lines := strings.Count(text, "\n")
			if text != "" && !strings.HasSuffix(text, "\n") && strings.TrimPrefix(text, "\ufeff") != "" {
				lines++
			}
			if sum.Lines != lines || sum.Code+sum.Comment+sum.Blank != lines {
				t.Fatalf("%s: %d lines are counted as %+v", file, lines, sum)
			}
			if l := sum.Longest; l != nil && (l.Line < 1 || l.Lines < 1 || l.Line+l.Lines-1 > lines) {
				t.Fatalf("%s: longest function outside of the %d lines: %+v", file, lines, *l)
			}
		}
	})
}
