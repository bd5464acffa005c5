package view

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// Table collects rows and prints them in columns as wide as their widest cell. Every cell goes through Clean.
type Table struct {
	head []string
	rows [][]string
}

// NewTable starts a table with its column names.
func NewTable(head ...string) *Table { return &Table{head: head} }

// Row adds a row; missing cells are empty, further ones are an error of the caller and cut.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.head))
	for i := range row {
		if i < len(cells) {
			row[i] = Clean(cells[i])
		}
	}
	t.rows = append(t.rows, row)
}

// Write prints the table, the last column unpadded.
func (t *Table) Write(w io.Writer) error {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{t.head}, t.rows...) {
		var line strings.Builder
		for i, c := range row {
			line.WriteString(c)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Age is the time since t in one unit, as a table shows it; "-" when t is not set.
func Age(t *timestamppb.Timestamp, now time.Time) string {
	if t == nil {
		return "-"
	}
	return Span(now.Sub(t.AsTime()))
}

// Span is a length of time in the largest whole unit that fits.
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
