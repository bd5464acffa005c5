package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/examples/census/count"
	"rookery/examples/census/shard"
)

func sample() result {
	report := count.Report{}
	report.Count("a/b.go", []byte("package a\n\n// f does.\nfunc f() {\n}\n"))
	report.Count("README.md", []byte(strings.Repeat("text\n", 1200)))
	d := newDispatcher(nil, nil)
	d.report, d.shards, d.retried, d.drained = report, 3, 1, true
	d.lost = []lost{{Shard: 3, Files: []string{"1", "2", "3", "4", "5", "6", "7"}, Cause: "counter error: exit 3"}}
	return d.result([]shard.LeftOut{{Path: "logo.png", Reason: "binary"}})
}

func TestTheTableIsForPeople(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `2 files in 3 shards, 1 of them counted again after a failure

Language  Files  Lines  Code  Comment  Blank  Longest function
Markdown      1   1200  1200        0      0
Go            1      5     3        1      1  f, 2 lines, a/b.go:4
Total         2   1205  1203        1      1  f, 2 lines, a/b.go:4

not counted: shard 3 (1, 2, 3, 4, 5 and 2 more): counter error: exit 3

left out: logo.png (binary)
`, sample().String())
}

func TestTheReportIsForPrograms(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(sample())
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"complete": false,
		"languages": {
			"Go": {"files": 1, "lines": 5, "code": 3, "comment": 1, "blank": 1,
				"longest": {"name": "f", "file": "a/b.go", "line": 4, "lines": 2}},
			"Markdown": {"files": 1, "lines": 1200, "code": 1200, "comment": 0, "blank": 0}
		},
		"total": {"files": 2, "lines": 1205, "code": 1203, "comment": 1, "blank": 1,
			"longest": {"name": "f", "file": "a/b.go", "line": 4, "lines": 2}},
		"shards": 3, "retried": 1,
		"lost": [{"shard": 3, "files": ["1", "2", "3", "4", "5", "6", "7"], "cause": "counter error: exit 3"}],
		"left_out": [{"path": "logo.png", "reason": "binary"}]
	}`, string(text))
}
