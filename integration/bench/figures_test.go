package bench

import "testing"

// figures are rows of what is not a time: each has some numbers by their units, which say what they are.
type figures struct {
	order []string
	of    map[string]map[string]float64
}

// set notes a row's number.
func (f *figures) set(row, unit string, n float64) {
	if f.of == nil {
		f.of = map[string]map[string]float64{}
	}
	if f.of[row] == nil {
		f.of[row] = map[string]float64{}
		f.order = append(f.order, row)
	}
	f.of[row][unit] = n
}

// memory notes what a process takes.
func (f *figures) memory(row string, m memory) {
	f.set(row, "rss-MB", megabytes(m.rss))
	f.set(row, "anon-MB", megabytes(m.anonymous))
	f.set(row, "peak-MB", megabytes(m.peak))
}

// report makes each row a benchmark of its own.
func (f *figures) report(b *testing.B) {
	b.Helper()
	for _, row := range f.order {
		b.Run(row, func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			for unit, n := range f.of[row] {
				b.ReportMetric(n, unit)
			}
		})
	}
}

// megabytes are those of the aims: of a million bytes.
func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
