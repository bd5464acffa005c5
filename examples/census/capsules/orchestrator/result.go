package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rookery/examples/census/count"
	"rookery/examples/census/shard"
)

// result is the census as it is left in out/report.json.
type result struct {
	// Complete: every shard was counted. Files that are left out by rule do not make a census incomplete.
	Complete  bool            `json:"complete"`
	Languages count.Report    `json:"languages"`
	Total     count.Sum       `json:"total"`
	Shards    int             `json:"shards"`
	Retried   int             `json:"retried"`
	Lost      []lost          `json:"lost"`
	LeftOut   []shard.LeftOut `json:"left_out"`
}

// lost is a shard that nobody could count.
type lost struct {
	Shard int      `json:"shard"`
	Files []string `json:"files"`
	Cause string   `json:"cause"`
}

// result sums up; shards that are still out or waiting, after a stop, are lost.
func (d *dispatcher) result(leftOut []shard.LeftOut) result {
	for _, w := range slices.Concat(d.waiting, slices.Collect(maps.Values(d.running))) {
		d.lose(w, "the census was stopped")
	}
	slices.SortFunc(d.lost, func(a, b lost) int { return cmp.Compare(a.Shard, b.Shard) })
	return result{
		Complete:  d.drained && len(d.lost) == 0,
		Languages: d.report,
		Total:     d.report.Total(),
		Shards:    d.shards,
		Retried:   d.retried,
		Lost:      slices.Concat([]lost{}, d.lost),
		LeftOut:   slices.Concat([]shard.LeftOut{}, leftOut),
	}
}

// err says what is missing.
func (r result) err() error {
	if r.Complete {
		return nil
	}
	return fmt.Errorf("census: %d of %d shards are not counted", len(r.Lost), r.Shards)
}

// shown is how many names a line of the table lists before it only gives their number.
const shown = 5

// String is the table for people.
func (r result) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d files in %d shards", r.Total.Files, r.Shards)
	if r.Retried > 0 {
		fmt.Fprintf(&out, ", %d of them counted again after a failure", r.Retried)
	}
	out.WriteString("\n\n")
	rows := [][]string{{"Language", "Files", "Lines", "Code", "Comment", "Blank", "Longest function"}}
	names := slices.SortedFunc(maps.Keys(r.Languages), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Languages[b].Code, r.Languages[a].Code), cmp.Compare(a, b))
	})
	for _, name := range names {
		rows = append(rows, row(name, r.Languages[name]))
	}
	writeTable(&out, append(rows, row("Total", r.Total)))
	for _, l := range r.Lost {
		fmt.Fprintf(&out, "\nnot counted: shard %d (%s): %s\n", l.Shard, some(l.Files), l.Cause)
	}
	if len(r.LeftOut) > 0 {
		var files []string
		for _, l := range r.LeftOut {
			files = append(files, fmt.Sprintf("%s (%s)", l.Path, l.Reason))
		}
		fmt.Fprintf(&out, "\nleft out: %s\n", some(files))
	}
	return out.String()
}

func row(name string, s count.Sum) []string {
	longest := ""
	if f := s.Longest; f != nil {
		longest = fmt.Sprintf("%s, %d lines, %s:%d", f.Name, f.Lines, f.File, f.Line)
	}
	cells := []string{name}
	for _, n := range []int{s.Files, s.Lines, s.Code, s.Comment, s.Blank} {
		cells = append(cells, fmt.Sprint(n))
	}
	return append(cells, longest)
}

// writeTable aligns the numbers right and the two names left.
func writeTable(out *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			width[i] = max(width[i], len(cell))
		}
	}
	last := len(width) - 1
	for _, cells := range rows {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", width[0], cells[0])
		for i, cell := range cells[1:last] {
			fmt.Fprintf(&line, "  %*s", width[i+1], cell)
		}
		line.WriteString("  " + cells[last])
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// some is the first names of a list, and how many more there are.
func some(names []string) string {
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
