package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/store"
)

func TestEveryAcknowledgedRowOutlivesAKilledWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "state.db")
	acknowledged := map[string]bool{}
	for _, after := range []int{1, 7, 60, 200} {
		cmd, lines := other(t, "write", path)
		for range after {
			require.True(t, lines.Scan(), "the writer ended: %v", lines.Err())
			require.Regexp(t, `^\d-\d+$`, lines.Text())
			acknowledged[lines.Text()] = true
		}
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() { // what it had said before it died
			acknowledged[lines.Text()] = true
		}
		require.EqualError(t, cmd.Wait(), "signal: killed")

		s, warning, err := store.Open(path, patience)
		require.NoError(t, err)
		require.Empty(t, warning)
		got := rows(t, s, "rows")
		assert.Equal(t, got, rows(t, s, "pairs"), "a function was committed in part")
		for key := range acknowledged {
			assert.Equal(t, key, got[key])
		}
		require.NoError(t, s.Close())
	}
}

func TestAFullDiskFailsTheCommitAndNothingElse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "state.db")
	cmd, lines := other(t, "full", path)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	require.NoError(t, cmd.Wait(), said)
	assert.Equal(t, []string{"before committed: true", "full committed: false", "after committed: true"}, said)
	got := rows(t, open(t, path), "rows")
	assert.Len(t, got, 2)
	assert.Contains(t, got, "before")
	assert.Contains(t, got, "after")
}

func TestADamagedFileIsSetAsideWithAWarning(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(filled(t))
	require.NoError(t, err)
	at := bytes.Index(whole, []byte("007007007"))
	require.Positive(t, at)
	flipped := bytes.Clone(whole)
	flipped[at] ^= 1
	beheaded := bytes.Clone(whole)
	clear(beheaded[:3*4096])
	for name, content := range map[string][]byte{
		"text":                         []byte(strings.Repeat("not a database\n", 2000)),
		"a few bytes":                  []byte("short"),
		"cut in its first pages":       whole[:5000],
		"cut in the middle":            whole[:len(whole)/2],
		"cut behind its first pages":   whole[:9000],
		"both first pages wiped":       beheaded,
		"one bit of a value":           flipped,
		"every page but the first two": append(bytes.Clone(whole[:2*4096]), bytes.Repeat([]byte{0xff}, len(whole)-2*4096)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder(t), "state.db")
			require.NoError(t, os.WriteFile(path, content, 0o600))
			s, warning, err := store.Open(path, patience)
			require.NoError(t, err)
			assert.Contains(t, warning, "set aside as state.db.corrupt-")
			assert.Empty(t, rows(t, s, "rows"))
			put(t, s, "a", "1")
			require.NoError(t, s.Close())
			aside, err := filepath.Glob(path + ".corrupt-*")
			require.NoError(t, err)
			require.Len(t, aside, 1)
			kept, err := os.ReadFile(aside[0])
			require.NoError(t, err)
			assert.True(t, bytes.Equal(content, kept), "the damaged file was changed")
			assert.Equal(t, map[string]string{"a": "1"}, rows(t, open(t, path), "rows"))
		})
	}
}

func TestTwoDamagedFilesOfOneSecondAreBothKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "state.db")
	for range 3 {
		require.NoError(t, os.WriteFile(path, []byte("short"), 0o600))
		s, warning, err := store.Open(path, patience)
		require.NoError(t, err)
		require.NotEmpty(t, warning)
		require.NoError(t, s.Close())
	}
	aside, err := filepath.Glob(path + ".corrupt-*")
	require.NoError(t, err)
	assert.Len(t, aside, 3)
}
