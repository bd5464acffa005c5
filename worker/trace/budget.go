package trace

import "time"

// How many lines of one kind a guest can cause: so many at once, then one a second, and
// no more than so many in all. It can cause a million a second, and its trace is kept.
const (
	budgetBurst = 20
	budgetPer   = time.Second
	budgetMost  = 1000
)

// Budget bounds the lines of one kind that a guest can cause. It belongs to one
// goroutine.
type Budget struct {
	// Now is the clock.
	Now func() time.Time

	told    int
	tokens  int
	filled  time.Time
	dropped int64
}

// Take reports whether a line may be written, and how many were not since the last one
// that was.
func (b *Budget) Take() (dropped int64, ok bool) {
	now := b.Now()
	if b.filled.IsZero() {
		b.tokens, b.filled = budgetBurst, now
	}
	if more := int(now.Sub(b.filled) / budgetPer); more > 0 {
		b.tokens = min(budgetBurst, b.tokens+more)
		b.filled = b.filled.Add(time.Duration(more) * budgetPer)
	}
	if b.tokens == 0 || b.told == budgetMost {
		b.dropped++
		return 0, false
	}
	b.tokens--
	b.told++
	return b.Flush(), true
}

// Flush returns how many lines were not written since the last one that was, and
// forgets them.
func (b *Budget) Flush() (dropped int64) {
	dropped, b.dropped = b.dropped, 0
	return dropped
}
