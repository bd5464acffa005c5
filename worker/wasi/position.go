package wasi

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The values of fd_seek's whence.
const (
	seekSet = 0
	seekCur = 1
	seekEnd = 2
)

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

// writable returns a regular file that is open for writing.
func (h *Host) writable(fd uint64) (*file, Errno) {
	f, e := h.plain(fd)
	if e == Success && !f.w {
		return nil, BadF
	}
	return f, e
}

// grow does what makes a file longer, within the quota.
func (f *file) grow(end int64, do func() error) Errno {
	if f.node == nil {
		return errnoOf(do())
	}
	q := f.root.quota
	if end > f.node.size && end > q.limit(f.node) {
		return DQuot
	}
	if err := do(); err != nil {
		return errnoOf(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return errnoOf(err)
	}
	q.resized(f.node, st.Size)
	return Success
}

func fdAllocate(h *Host, _ memory, a *Args) Errno {
	f, e := h.writable(a[0])
	if e != Success {
		return e
	}
	off, n := a[1], a[2]
	switch {
	case n == 0 || off > maxOffset || n > maxOffset:
		return Inval
	case off+n > maxOffset:
		return FBig
	}
	return f.grow(int64(off+n), func() error {
		return ignoringEINTR(func() error { return unix.Fallocate(f.fd, 0, int64(off), int64(n)) })
	})
}

func fdFilestatSetSize(h *Host, _ memory, a *Args) Errno {
	f, e := h.writable(a[0])
	if e != Success {
		return e
	}
	if a[1] > maxOffset {
		return Inval
	}
	return f.grow(int64(a[1]), func() error {
		return ignoringEINTR(func() error { return unix.Ftruncate(f.fd, int64(a[1])) })
	})
}

func ignoringEINTR(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func fdSync(h *Host, _ memory, a *Args) Errno { return h.sync(a[0], unix.Fsync) }

func fdDatasync(h *Host, _ memory, a *Args) Errno { return h.sync(a[0], unix.Fdatasync) }

func (h *Host) sync(fd uint64, do func(int) error) Errno {
	f, e := h.file(fd)
	switch {
	case e != Success:
		return e
	case f.kind == directory:
		n, e := f.listable()
		if e != Success {
			return e
		}
		return errnoOf(do(n))
	case f.kind == output:
		f.stream.flush()
		return Success
	case f.kind == input:
		return Inval
	}
	return errnoOf(ignoringEINTR(func() error { return do(f.fd) }))
}

// fdFdstatSetFlags changes appending and blocking. Linux cannot change the sync flags
// of an open file.
func fdFdstatSetFlags(h *Host, _ memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	flags := uint32(a[1])
	const syncs = fdDsync | fdRsync | fdSyncAll
	switch {
	case flags&^31 != 0:
		return Inval
	case flags&syncs != uint32(f.flags)&syncs:
		return NotSup
	}
	if f.kind == regular && (flags^uint32(f.flags))&fdAppend != 0 {
		old, err := unix.FcntlInt(uintptr(f.fd), unix.F_GETFL, 0)
		if err == nil {
			_, err = unix.FcntlInt(uintptr(f.fd), unix.F_SETFL, old^unix.O_APPEND)
		}
		if err != nil {
			return errnoOf(err)
		}
	}
	f.flags = uint16(flags)
	return Success
}
