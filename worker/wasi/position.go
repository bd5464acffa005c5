package wasi

import (
	"math"

	"golang.org/x/sys/unix"
)

// The values of fd_seek's whence.
const (
	seekSet = 0
	seekCur = 1
	seekEnd = 2
)

// maxOffset is the kernel's: offsets are signed there.
const maxOffset = math.MaxInt64

func fdSeek(h *Host, m memory, a *Args) Errno {
	f, e := h.plain(a[0])
	if e != Success {
		return e
	}
	out := uint32(a[3])
	if !m.has(out, 8) {
		return Fault
	}
	var base int64
	switch uint32(a[2]) {
	case seekSet:
	case seekCur:
		base = f.pos
	case seekEnd:
		var st unix.Stat_t
		if err := unix.Fstat(f.fd, &st); err != nil {
			return errnoOf(err)
		}
		base = st.Size
	default:
		return Inval
	}
	// base is never negative, so the sum is only when the target is, or wrapped around.
	pos := base + int64(a[1])
	if pos < 0 {
		return Inval
	}
	f.pos = pos
	m.put64(out, uint64(pos))
	return Success
}

func fdTell(h *Host, m memory, a *Args) Errno {
	f, e := h.plain(a[0])
	if e != Success {
		return e
	}
	out := uint32(a[1])
	if !m.has(out, 8) {
		return Fault
	}
	m.put64(out, uint64(f.pos))
	return Success
}

func fdAdvise(h *Host, _ memory, a *Args) Errno {
	f, e := h.plain(a[0])
	if e != Success {
		return e
	}
	if a[1] > maxOffset || a[2] > maxOffset {
		return Inval
	}
	// preview 1 numbers the advice normal, sequential, random, willneed, dontneed, noreuse.
	advice := [...]int{
		unix.FADV_NORMAL, unix.FADV_SEQUENTIAL, unix.FADV_RANDOM,
		unix.FADV_WILLNEED, unix.FADV_DONTNEED, unix.FADV_NOREUSE,
	}
	n := uint32(a[3])
	if n >= uint32(len(advice)) {
		return Inval
	}
	return errnoOf(unix.Fadvise(f.fd, int64(a[1]), int64(a[2]), advice[n]))
}
