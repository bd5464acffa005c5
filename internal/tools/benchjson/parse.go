package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// report is what the program prints.
type report struct {
	GOOS       string      `json:"goos"`
	GOARCH     string      `json:"goarch"`
	CPU        string      `json:"cpu"`
	Benchmarks []benchmark `json:"benchmarks"`
}

// benchmark is one result line. Metrics are keyed by their unit, "ns/op" among them.
type benchmark struct {
	Package string             `json:"package"`
	Name    string             `json:"name"`
	Procs   int                `json:"procs"`
	Runs    int64              `json:"runs"`
	Metrics map[string]float64 `json:"metrics"`
}

// maxLine bounds one line of output; what a benchmark logs between the results may be long.
const maxLine = 1 << 20

var errNone = errors.New("no benchmark results")

// parse reads the text output of go test. Lines that are no result (logs, totals) are passed over.
func parse(r io.Reader) (report, error) {
	var out report
	var pkg string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := lines.Text()
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case key == "goos":
			out.GOOS = value
		case key == "goarch":
			out.GOARCH = value
		case key == "cpu":
			out.CPU = value
		case key == "pkg":
			pkg = value
		case line == "FAIL", strings.HasPrefix(line, "--- FAIL"), strings.HasPrefix(line, "FAIL\t"):
			return report{}, fmt.Errorf("a benchmark failed: %s", line)
		default:
			if b, ok := parseResult(line); ok {
				b.Package = pkg
				out.Benchmarks = append(out.Benchmarks, b)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return report{}, err
	}
	if len(out.Benchmarks) == 0 {
		return report{}, errNone
	}
	return out, nil
}

// parseResult reads `BenchmarkName-8   100   12.5 ns/op   3 B/op`.
func parseResult(line string) (benchmark, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 {
		return benchmark{}, false
	}
	name, found := strings.CutPrefix(fields[0], "Benchmark")
	if !found {
		return benchmark{}, false
	}
	runs, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return benchmark{}, false
	}
	b := benchmark{Name: name, Procs: 1, Runs: runs, Metrics: map[string]float64{}}
	// go test leaves the suffix out when GOMAXPROCS is 1.
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		if procs, err := strconv.Atoi(name[i+1:]); err == nil && procs > 0 {
			b.Name, b.Procs = name[:i], procs
		}
	}
	for i := 2; i < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return benchmark{}, false // JSON has no such numbers
		}
		b.Metrics[fields[i+1]] = value
	}
	return b, true
}
