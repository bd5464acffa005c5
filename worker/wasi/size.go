package wasi

import "golang.org/x/sys/unix"

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
