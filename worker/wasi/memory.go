package wasi

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is the guest's memory during one call. Its put methods need a range that has
// been checked with has: a call checks every pointer it was given before it acts, so
// that a bad one has no effect at all.
type memory []byte

func (m memory) has(ptr uint32, n uint64) bool {
	return n <= uint64(len(m)) && uint64(ptr) <= uint64(len(m))-n
}

func (m memory) bytes(ptr, n uint32) ([]byte, bool) {
	if !m.has(ptr, uint64(n)) {
		return nil, false
	}
	return m[ptr : uint64(ptr)+uint64(n)], true
}

func (m memory) u16(ptr uint32) uint16 { return binary.LittleEndian.Uint16(m[ptr:]) }
func (m memory) u32(ptr uint32) uint32 { return binary.LittleEndian.Uint32(m[ptr:]) }
func (m memory) u64(ptr uint32) uint64 { return binary.LittleEndian.Uint64(m[ptr:]) }

func (m memory) put16(ptr uint32, v uint16) { binary.LittleEndian.PutUint16(m[ptr:], v) }
func (m memory) put32(ptr uint32, v uint32) { binary.LittleEndian.PutUint32(m[ptr:], v) }
func (m memory) put64(ptr uint32, v uint64) { binary.LittleEndian.PutUint64(m[ptr:], v) }

// maxPath is the kernel's PATH_MAX without the final NUL.
const maxPath = 4095

// text copies a string argument, checked as a path or link target has to be.
func (m memory) text(ptr, n uint32) (string, Errno) {
	b, ok := m.bytes(ptr, n)
	switch {
	case !ok:
		return "", Fault
	case n > maxPath:
		return "", NameTooLong
	case !utf8.Valid(b):
		return "", IlSeq
	}
	for _, c := range b {
		if c == 0 {
			return "", Inval
		}
	}
	return string(b), Success
}

const (
	// maxGuestVecs is Linux's UIO_MAXIOV: more is an error there too.
	maxGuestVecs = 1024
	// maxVecs bounds what one system call is given; a short count is legal and
	// callers of readv and writev handle it.
	maxVecs = 64
	// maxTransfer keeps one system call on a file well below the grace that a
	// canceled task has: 16 MiB is some 3 ms in the page cache.
	maxTransfer = 16 << 20
)

// vecs points h.iov at the guest's buffers and returns how many bytes they hold.
// Nothing is copied. Empty buffers are left out, so that 64 of them are not taken
// for the end of a file.
func (h *Host) vecs(m memory, ptr, count uint32) (int, Errno) {
	if count > maxGuestVecs {
		return 0, Inval
	}
	if !m.has(ptr, uint64(count)*8) {
		return 0, Fault
	}
	h.niov = 0
	total := 0
	for i := range count {
		b, ok := m.bytes(m.u32(ptr+8*i), m.u32(ptr+8*i+4))
		if !ok {
			return 0, Fault
		}
		if len(b) == 0 || h.niov == maxVecs || total == maxTransfer {
			continue
		}
		if len(b) > maxTransfer-total {
			b = b[:maxTransfer-total]
		}
		h.iov[h.niov] = unix.Iovec{Base: unsafe.SliceData(b), Len: uint64(len(b))}
		h.niov++
		total += len(b)
	}
	return total, Success
}

// clip shortens the buffers of vecs to n bytes.
func (h *Host) clip(n int) {
	for i := range h.niov {
		l := int(h.iov[i].Len)
		if l >= n {
			h.iov[i].Len = uint64(n)
			h.niov = i + 1
			return
		}
		n -= l
	}
}
