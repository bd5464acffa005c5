package sandbox

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/wasi"
)

type echo struct{}

func (echo) Call(_ context.Context, _ string, req []byte) []byte { return req }

// FuzzMurmur plays a guest that passes any numbers.
func FuzzMurmur(f *testing.F) {
	f.Add(uint32(0), uint32(4), uint32(8), uint32(8), uint32(32), uint32(8))
	f.Add(uint32(1<<32-1), uint32(1), uint32(0), uint32(1<<32-1), uint32(64), uint32(0))
	f.Add(uint32(0), uint32(65), uint32(64), uint32(0), uint32(63), uint32(2))
	world, err := wasi.New(wasi.Config{Ctx: f.Context()})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, world.Close()) })
	f.Fuzz(func(t *testing.T, op, opLen, req, reqLen, dst, dstLen uint32) {
		mem := make([]byte, 256)
		for i := range mem {
			mem[i] = byte(i)
		}
		before := bytes.Clone(mem)
		r := &run{ctx: t.Context(), world: world, task: Task{Host: echo{}}}
		inside := func(ptr, n uint32) bool { return uint64(ptr)+uint64(n) <= 256 }

		n, err := r.call(mem, op, opLen, req, reqLen)
		assert.Equal(t, before, mem, "call wrote to the guest's memory")
		assert.Equal(t, inside(op, opLen) && inside(req, reqLen), err == nil)
		if err == nil && opLen <= maxOp {
			assert.Equal(t, int64(reqLen), n)
			assert.Equal(t, string(before[req:][:reqLen]), string(r.response))
		}
		response := r.response

		copied, err := r.take(mem, dst, dstLen)
		assert.Equal(t, inside(dst, dstLen), err == nil)
		if err != nil {
			assert.Equal(t, before, mem)
			return
		}
		assert.Equal(t, min(int(dstLen), len(response)), int(copied))
		assert.Equal(t, string(response[:copied]), string(mem[dst:][:copied]))
		assert.Equal(t, string(response[copied:]), string(r.response))
		assert.Equal(t, before[:dst], mem[:dst])
		assert.Equal(t, before[int(dst)+int(copied):], mem[int(dst)+int(copied):])
	})
}
