package retention

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/supervisor/fleet"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func TestTheOldestGoFirstUntilTheRestFits(t *testing.T) {
	t.Parallel()
	policy := fleet.Retention{Age: 7 * 24 * time.Hour, MaxBytes: 100}
	item := func(name string, days int, bytes int64) Item {
		return Item{Name: name, Bytes: bytes, Ended: now.AddDate(0, 0, -days)}
	}
	lives := item("lives", 30, 60)
	lives.fixed = true
	fresh := item("fresh", 0, 500)
	gone, kept := choose([]Item{item("b", 3, 30), item("old", 8, 1), lives, item("a", 4, 30), item("none", 5, 0), item("c", 2, 30), fresh}, policy, now)
	var names []string
	for _, i := range gone {
		names = append(names, fmt.Sprintf("%s by %s", i.Name, i.Reason))
	}
	assert.Equal(t, []string{"old by age", "a by size", "b by size", "c by size"}, names)
	assert.Equal(t, int64(560), kept, "what lives and what has just ended stays, whatever it takes")
}

// TestRandomChoices holds what is chosen against what is promised.
func TestRandomChoices(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		policy := fleet.Retention{Age: time.Duration(1+random.IntN(100)) * time.Hour, MaxBytes: random.Int64N(3000)}
		var items []Item
		var total int64
		for i := range random.IntN(30) {
			it := Item{Name: fmt.Sprint(i), Bytes: random.Int64N(300), Ended: now.Add(-time.Duration(random.IntN(200)) * time.Hour), fixed: random.IntN(4) == 0}
			items, total = append(items, it), total+it.Bytes
		}
		gone, kept := choose(items, policy, now)
		left := map[string]Item{}
		for _, i := range items {
			left[i.Name] = i
		}
		var youngest time.Time
		for _, i := range gone {
			require.False(t, i.fixed)
			total -= i.Bytes
			delete(left, i.Name)
			if i.Reason == ByAge {
				require.Greater(t, now.Sub(i.Ended), policy.Age)
			} else {
				youngest = i.Ended
			}
		}
		require.Equal(t, total, kept)
		for _, i := range left {
			if i.fixed || now.Sub(i.Ended) < time.Minute {
				continue
			}
			require.LessOrEqual(t, now.Sub(i.Ended), policy.Age)
			if kept > policy.MaxBytes {
				require.Zero(t, i.Bytes, "there was more to remove")
			}
			if i.Bytes > 0 {
				require.False(t, i.Ended.Before(youngest), "an older one stays")
			}
		}
	}
}

func TestTheFloorOfADisk(t *testing.T) {
	t.Parallel()
	const block, gib = 4096, 1 << 30
	var free, size int64
	var told []bool
	f := NewFloor("/", func(low bool, _, _ int64) { told = append(told, low) })
	f.stat = func(_ string, s *unix.Statfs_t) error {
		s.Bsize, s.Bavail, s.Blocks = block, uint64(free/block), uint64(size/block)
		return nil
	}
	for _, c := range []struct {
		name              string
		size, free, floor int64
		enough            bool
		told              []bool
	}{
		{"a large disk with room", 1000 * gib, 2 * gib, gib, true, nil},
		{"exactly the floor", 1000 * gib, gib, gib, true, nil},
		{"below it", 1000 * gib, gib - block, gib, false, []bool{true}},
		{"still below it", 1000 * gib, 0, gib, false, []bool{true}},
		{"just above it", 1000 * gib, gib + block, gib, true, []bool{true}},
		{"well above it", 1000 * gib, 2 * gib, gib, true, []bool{true, false}},
		{"a small disk", 2 * gib, gib, 2 * gib / 20, true, []bool{true, false}},
		{"a small disk that is full", 2 * gib, 0, 2 * gib / 20, false, []bool{true, false, true}},
	} {
		size, free = c.size, c.free
		gotFree, floor, enough := f.Check()
		assert.Equal(t, c.free, gotFree, c.name)
		assert.Equal(t, c.floor/block, floor/block, c.name)
		assert.Equal(t, c.enough, enough, c.name)
		assert.Equal(t, c.told, told, c.name)
	}
	f.stat = func(string, *unix.Statfs_t) error { return unix.EIO }
	_, _, enough := f.Check()
	assert.True(t, enough, "a disk that cannot be asked is no reason to refuse")
}
