package bench

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// benchtime is the flag that says how many rounds there are.
	benchtime = "test.benchtime"
	// usualRounds make a median that repeats within a few percent on an idle machine, in seven minutes for everything.
	usualRounds = "30x"
	// warmUps are rounds that are not counted: they fill the page cache and let processors speed up.
	warmUps = 3
)

// setRounds makes a number of rounds of the flag's default, which is a time, and refuses a time that was asked for.
func setRounds() error {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == benchtime })
	if !given {
		return flag.Set(benchtime, usualRounds)
	}
	_, err := rounds()
	return err
}

func rounds() (int, error) {
	text := flag.Lookup(benchtime).Value.String()
	n, err := strconv.Atoi(strings.TrimSuffix(text, "x"))
	if err != nil || n <= 0 || !strings.HasSuffix(text, "x") {
		return 0, fmt.Errorf("-benchtime %s: these benchmarks take a number of rounds, like %s", text, usualRounds)
	}
	return n, nil
}

// few is for rounds that take seconds: a tenth of the rounds, at least one.
func few(b *testing.B) int {
	b.Helper()
	n, err := rounds()
	require.NoError(b, err)
	return max(n/10, 1)
}

// rows are what one benchmark measures.
type rows struct {
	order []string
	took  map[string][]time.Duration
}

func newRows() *rows { return &rows{took: map[string][]time.Duration{}} }

// add notes one measurement of a row.
func (r *rows) add(row string, took time.Duration) {
	if r.took[row] == nil {
		r.order = append(r.order, row)
	}
	r.took[row] = append(r.took[row], took)
}

// measure runs one round after the other, the first few for nothing.
func measure(b *testing.B, round func(r *rows)) *rows {
	b.Helper()
	n, err := rounds()
	require.NoError(b, err)
	for range warmUps {
		round(newRows())
	}
	r := newRows()
	for range n {
		round(r)
	}
	for _, row := range r.order {
		require.Len(b, r.took[row], n, "every round takes every row")
	}
	return r
}

// report makes each row a benchmark of its own. For rows that have a base it adds the ratio of the two medians.
func (r *rows) report(b *testing.B, base map[string]string) {
	b.Helper()
	for _, row := range r.order {
		b.Run(row, func(b *testing.B) {
			// go test's own clock has seen nothing of it.
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(r.quantile(row, 0.5)), "p50-ms")
			b.ReportMetric(milliseconds(r.quantile(row, 0.95)), "p95-ms")
			if base[row] != "" {
				b.ReportMetric(float64(r.quantile(row, 0.5))/float64(r.quantile(base[row], 0.5)), "x-"+base[row])
			}
		})
	}
}

// quantile is the smallest measurement that q of them do not exceed.
func (r *rows) quantile(row string, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(r.took[row]))
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
