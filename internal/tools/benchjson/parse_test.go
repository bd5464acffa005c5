package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sample = `goos: linux
goarch: amd64
pkg: rookery/integration/bench
cpu: A Processor
BenchmarkForkExec-2         	     100	   1490000 ns/op
    bench_test.go:12: a line of log: with a colon
BenchmarkReady/mapped-2     	      50	  27300000 ns/op	        24.60 p50-ms	     120 B/op
BenchmarkOneCPU             	       1	         0.5 ns/op
PASS
ok  	rookery/integration/bench	3.1s
`

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse(strings.NewReader(sample))
	require.NoError(t, err)
	const pkg = "rookery/integration/bench"
	assert.Equal(t, report{
		GOOS: "linux", GOARCH: "amd64", CPU: "A Processor",
		Benchmarks: []benchmark{
			{pkg, "ForkExec", 2, 100, map[string]float64{"ns/op": 1490000}},
			{pkg, "Ready/mapped", 2, 50, map[string]float64{"ns/op": 27300000, "p50-ms": 24.6, "B/op": 120}},
			{pkg, "OneCPU", 1, 1, map[string]float64{"ns/op": 0.5}},
		},
	}, got)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a failed benchmark":         sample + "--- FAIL: BenchmarkX-2\n",
		"a failed package":           sample + "FAIL\trookery/integration/bench\t1.0s\n",
		"an empty file":              "",
		"a run without results":      "goos: linux\nPASS\n",
		"a result without a metric":  "BenchmarkX-2 100\n",
		"a number that JSON has not": "BenchmarkX-2 100 NaN ns/op\n",
		"a line beyond the bound":    strings.Repeat("x", maxLine+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(strings.NewReader(text))
			assert.Error(t, err)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("BenchmarkX-0 1 1e300 ns/op")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parse(strings.NewReader(text))
		if err != nil {
			return
		}
		assert.NotEmpty(t, got.Benchmarks)
		_, err = json.Marshal(got)
		assert.NoError(t, err, "every report that parses can be printed")
	})
}
