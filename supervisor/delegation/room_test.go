package delegation

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/capsule/manifest"
	"rookery/capsule/pack"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
	"rookery/supervisor/store"
)

func TestNothingBeginsOnADiskThatIsNearlyFull(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	s, _, err := store.Open(filepath.Join(dir, "state.db"), time.Second)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	book, err := ledger.Open(t.Context(), s)
	require.NoError(t, err)
	tree := New(t.Context(), Config{
		Ledger: book, State: layout.State{Root: dir},
		Limits: Limits{MaxDepth: 1, MaxChildren: 1, MaxLive: 1, MaxPerRoot: 1, RatePerMinute: 60, Burst: 1},
		Disk:   func() (int64, int64, bool) { return 1 << 20, 1 << 30, false },
	})
	refused := func(err error) {
		t.Helper()
		var r *Refusal
		require.ErrorAs(t, err, &r)
		assert.Equal(t, CodeHost, r.Code)
		assert.Equal(t, int64(1<<30), r.Limit)
		assert.Equal(t, int64(1<<20), r.Value)
		assert.Equal(t, "1048576 bytes are free on the disk of the state folder; below the floor of 1073741824 nothing is begun", r.Message)
	}
	m := &manifest.Manifest{Name: "c", Version: "1.0.0"}
	_, err = tree.StartRoot(t.Context(), Root{ID: "top", Entry: &catalog.Entry{Package: &pack.Package{Manifest: m}}})
	refused(err)
	assert.Empty(t, book.Sessions(ledger.Filter{}))
	refused(tree.admit(book, m, "ses", "ses", 1, m))
	var deep *Refusal
	require.ErrorAs(t, tree.admit(book, m, "ses", "ses", 2, m), &deep)
	assert.Equal(t, CodeDepth, deep.Code, "what comes first is told first")
	require.NoError(t, tree.Close())
}
