package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/store"
)

// TestAHealthyFileIsNeverTakenForDamaged writes and deletes at random, so that
// pages split, merge, overflow and fall free, and opens the file after each round.
func TestAHealthyFileIsNeverTakenForDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "state.db")
	chance := rand.New(rand.NewPCG(rand.Uint64(), 0))
	want := map[string]map[string]string{"rows": {}, "many": {}, "few": {}}
	var largest int64
	for round := range 24 {
		s, warning, err := store.Open(path, patience)
		require.NoError(t, err)
		require.Empty(t, warning)
		for range 1 + chance.IntN(4) {
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return shuffle(tx, chance, want, round) }))
		}
		require.NoError(t, s.Close())
		info, err := os.Stat(path)
		require.NoError(t, err)
		largest = max(largest, info.Size())
	}
	assert.Greater(t, largest, int64(4<<20))
	s := open(t, path)
	for bucket, rowsOfIt := range want {
		assert.Equal(t, rowsOfIt, rows(t, s, bucket), bucket)
	}
}

// shuffle changes many rows of two buckets, by turns mostly for more and for less,
// and a row of a third, which is small enough to be inline.
func shuffle(tx *store.Tx, chance *rand.Rand, want map[string]map[string]string, round int) error {
	change := func(bucket, key string, size int) error {
		if size < 0 {
			delete(want[bucket], key)
			tx.Delete(bucket, key)
			return nil
		}
		want[bucket][key] = strings.Repeat("v", size)
		return tx.Put(bucket, key, []byte(want[bucket][key]))
	}
	for range 1000 {
		bucket, size := "many", chance.IntN(300)
		key := fmt.Sprintf("%s%d", strings.Repeat("k", chance.IntN(3)*chance.IntN(400)), chance.IntN(4000))
		switch less := round%6 > 3; {
		case chance.IntN(20) == 0:
			bucket, size, key = "rows", chance.IntN(60_000), fmt.Sprint(chance.IntN(200))
		case chance.IntN(2000) == 0:
			size = store.MaxValue
		case less || chance.IntN(4) == 0:
			size = -1
			for one := range want[bucket] { // a row that is there
				key = one
				break
			}
		}
		if err := change(bucket, key, size); err != nil {
			return err
		}
	}
	return change("few", fmt.Sprint(chance.IntN(5)), chance.IntN(50)-5)
}
