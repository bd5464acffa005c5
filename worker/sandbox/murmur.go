package sandbox

import (
	"fmt"
	"math"
)

// The guest interface, version 1: what the imports of module "murmur" do.
const (
	// maxRequest bounds a request, in bytes.
	maxRequest = 1 << 20
	// maxOp is longer than any op's name will be. A longer one is no op, and is not
	// copied to find that out.
	maxOp = 64
)

const unknownOp = `{"error":{"code":"unknown_op","message":"no such op"}}`

func tooLarge(n uint32) []byte {
	return fmt.Appendf(nil, `{"error":{"code":"too_large","message":"a request has at most %d bytes","data":{"limit":%d,"value":%d}}}`,
		maxRequest, maxRequest, n)
}

// trapError ends the guest with a trap of this name.
type trapError string

func (t trapError) Error() string { return string(t) }

// errOutOfBounds is the engine's own name for the same mistake.
var errOutOfBounds = trapError(trapNames[1])

// call implements murmur.call. The result is the response's length; an error traps.
func (r *run) call(mem []byte, opPtr, opLen, reqPtr, reqLen uint32) (int64, error) {
	op, ok := slice(mem, opPtr, opLen)
	if !ok {
		return 0, errOutOfBounds
	}
	req, ok := slice(mem, reqPtr, reqLen)
	if !ok {
		return 0, errOutOfBounds
	}
	// A call may wait for hours, and what was printed before it may say why.
	r.world.Flush()
	switch {
	case reqLen > maxRequest:
		r.response = tooLarge(reqLen)
	case opLen > maxOp || r.task.Host == nil:
		r.response = []byte(unknownOp)
	default:
		// The owner may keep both longer than this call; the guest may write over them.
		r.response = r.task.Host.Call(r.ctx, string(op), append([]byte(nil), req...))
	}
	if r.ctx.Err() != nil {
		return 0, fmt.Errorf("murmur.call: %w", r.ctx.Err())
	}
	return int64(len(r.response)), nil
}

// take implements murmur.take: how many bytes were copied, 0 at the end.
func (r *run) take(mem []byte, ptr, n uint32) (int32, error) {
	dst, ok := slice(mem, ptr, n)
	if !ok {
		return 0, errOutOfBounds
	}
	if len(dst) > math.MaxInt32 {
		dst = dst[:math.MaxInt32]
	}
	copied := copy(dst, r.response)
	r.response = r.response[copied:]
	return int32(copied), nil
}

// slice is the part of the guest's memory that pointer and length name, if it has it.
func slice(mem []byte, ptr, n uint32) ([]byte, bool) {
	end := uint64(ptr) + uint64(n)
	if end > uint64(len(mem)) {
		return nil, false
	}
	return mem[ptr:end:end], true
}
