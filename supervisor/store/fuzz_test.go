package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/supervisor/store"
)

// FuzzOpen damages a real file of one commit: whatever was done to it, Open neither
// panics nor hands out a value that was never written, nor only some of the rows.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "state.db")
	s, _, err := store.Open(path, patience)
	require.NoError(f, err)
	require.NoError(f, s.Update(f.Context(), func(tx *store.Tx) error {
		for n := range 40 {
			if err := tx.Put("rows", fmt.Sprintf("key-%03d", n), bytes.Repeat([]byte{byte(n)}, 500)); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(f, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(uint32(0), uint32(0), byte(0))
	f.Add(uint32(4096*2+16), uint32(0), byte(0xff))
	f.Add(uint32(4096*5+8), uint32(100), byte(1))
	f.Fuzz(func(t *testing.T, at, cut uint32, mask byte) {
		content := bytes.Clone(whole)
		content[int(at)%len(content)] ^= mask
		content = content[:len(content)-int(cut)%len(content)]
		path := filepath.Join(folder(t), "state.db")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		s, _, err := store.Open(path, patience)
		require.NoError(t, err)
		got := rows(t, s, "rows")
		require.Contains(t, []int{0, 40}, len(got))
		for key, value := range got {
			var n byte
			_, err := fmt.Sscanf(key, "key-%03d", &n)
			require.NoError(t, err)
			require.Equal(t, strings.Repeat(string([]byte{n}), 500), value)
		}
		put(t, s, "another", "one")
		require.Equal(t, "one", rows(t, s, "rows")["another"])
		require.NoError(t, s.Close())
	})
}

// FuzzOpenOfManyPages damages a file of some levels, with overflows, an inline
// bucket and free pages, in places that bbolt believes: Open gives no value that was
// never written, and the file can then be written and opened again.
func FuzzOpenOfManyPages(f *testing.F) {
	path := filepath.Join(f.TempDir(), "state.db")
	s, _, err := store.Open(path, patience)
	require.NoError(f, err)
	written := map[string]bool{}
	for round := range 4 {
		require.NoError(f, s.Update(f.Context(), func(tx *store.Tx) error {
			for n := range 500 {
				key, value := fmt.Sprintf("%s-%03d", strings.Repeat("k", 100), n), strings.Repeat(string(rune('a'+round)), 10+n)
				if n%50 == 0 {
					value = strings.Repeat(value, 40)
				}
				if n%7 == round {
					tx.Delete("rows", key)
					continue
				}
				written[key+value] = true
				if err := tx.Put("rows", key, []byte(value)); err != nil {
					return err
				}
			}
			return tx.Put("few", "a", []byte("1"))
		}))
	}
	require.NoError(f, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(f, err)
	for n := range uint64(20) {
		f.Add(n, byte(n%4))
	}
	f.Fuzz(func(t *testing.T, seed uint64, times byte) {
		content := bytes.Clone(whole)
		chance := rand.New(rand.NewPCG(seed, 0))
		for range 1 + times%8 {
			hurt(content, chance)
		}
		path := filepath.Join(folder(t), "state.db")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		s, warning, err := store.Open(path, patience)
		require.NoError(t, err)
		got := rows(t, s, "rows")
		require.True(t, warning == "" || len(got) == 0)
		for key, value := range got {
			require.True(t, written[key+value], key)
		}
		require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
			for n := range 30 {
				tx.Delete("rows", fmt.Sprintf("%s-%03d", strings.Repeat("k", 100), n))
				key := fmt.Sprintf("%s-%03d", strings.Repeat("k", 100), n*17)
				if err := tx.Put("rows", key, bytes.Repeat([]byte("new"), n*n)); err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, s.Close())
		open(t, path)
	})
}

// hurt damages one page: mostly its header and its table, with small numbers,
// large ones and those of other pages.
func hurt(content []byte, chance *rand.Rand) {
	pages := len(content) / pageSize
	page := func() []byte { return content[chance.IntN(pages)*pageSize:][:pageSize] }
	at := page()
	places := []int{pageID, pageFlags, pageCount, pageOverflow, firstElement + 16*chance.IntN(40) + 4*chance.IntN(4), chance.IntN(pageSize - 8)}
	field := at[places[chance.IntN(len(places))]:]
	switch chance.IntN(7) {
	case 0:
		field[0] ^= 1 << chance.IntN(8)
	case 1:
		binary.NativeEndian.PutUint16(field, uint16(chance.IntN(1<<(1+chance.IntN(16)))))
	case 2:
		binary.NativeEndian.PutUint32(field, chance.Uint32()>>chance.IntN(32))
	case 3:
		binary.NativeEndian.PutUint64(field, uint64(chance.IntN(pages+2)))
	case 4:
		copy(at, page())
	case 5:
		other := page()
		binary.NativeEndian.PutUint64(other, binary.NativeEndian.Uint64(at))
		copy(at, other)
	case 6:
		image(content).metas(func(b []byte) {
			offsets := []int{metaPageSize, metaRoot, metaFreelist, metaPages, metaTx}
			binary.NativeEndian.PutUint32(b[offsets[chance.IntN(len(offsets))]:], chance.Uint32()>>chance.IntN(32))
		})
	}
}
