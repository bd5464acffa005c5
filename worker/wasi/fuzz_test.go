package wasi

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCalls runs a program of calls: each is a function's number and its arguments,
// over a memory that is part of the input too. Nothing may panic, hang, or change what
// lies outside the work folder.
func FuzzCalls(f *testing.F) {
	call := func(fn byte, args ...uint16) []byte {
		b := []byte{fn}
		for i := range MaxParams {
			v := uint16(0)
			if i < len(args) {
				v = args[i]
			}
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	f.Add([]byte("../secret\x00a/b"), call(31, work, 0, 0, 9, 9, 0xffff, 0, 0, 64))
	f.Add([]byte("abs\x00../../x"), append(call(35, 0, 3, work, 4, 7), call(36, work, 0, 3)...))
	f.Add([]byte{0, 0, 0, 0, 255, 255, 255, 255}, append(call(26, 1, 0, 1, 64), call(20, 0, 0, 1, 64)...))
	f.Add(make([]byte, 48), call(37, 0, 64, 1, 200))
	f.Fuzz(func(t *testing.T, mem, program []byte) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // so that no wait lasts
		g := newGuest(t, withContext(ctx), withQuota(NewQuota(1<<16, 20)))
		escapes(t, g)
		copy(g.mem, mem)
		before := g.tree("ro") + g.tree("secret") + names(t, g.top)
		for n := 0; len(program) > 2*MaxParams && n < 64; n++ {
			row := &table[int(program[0])%len(table)]
			var a Args
			for i := range a {
				v := uint64(binary.LittleEndian.Uint16(program[1+2*i:]))
				if v >= 0xff00 { // reach the ends of the ranges
					v = 0 - (0xffff - v) - 1
				}
				a[i] = v
			}
			program = program[1+2*MaxParams:]
			if row.Name == "fd_sync" || row.Name == "fd_datasync" {
				continue // they only wait for the disk
			}
			_, err := row.Call(g.h, g.mem, &a)
			var exit *ExitError
			var canceled *CanceledError
			require.True(t, err == nil || errors.As(err, &exit) || errors.As(err, &canceled))
			require.LessOrEqual(t, len(g.h.files), maxFiles)
		}
		require.Equal(t, before, g.tree("ro")+g.tree("secret")+names(t, g.top))
		bytes, count := g.h.files[work].quotaUsed()
		require.LessOrEqual(t, bytes, int64(1<<16))
		require.LessOrEqual(t, count, int64(20))
	})
}

func (f *file) quotaUsed() (int64, int64) {
	if f == nil || f.root == nil || f.root.quota == nil {
		return 0, 0
	}
	return f.root.quota.Used()
}
