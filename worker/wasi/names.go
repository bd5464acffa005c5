package wasi

import "golang.org/x/sys/unix"

// change is the start of every call that changes a name: the directory, the place, and
// the refusal of a read-only one. The caller closes the place.
func (h *Host) change(m memory, fd, ptr, n uint64) (*file, place, Errno) {
	f, e := h.dir(fd)
	if e != Success {
		return nil, place{}, e
	}
	path, e := h.path(m, ptr, n)
	if e != Success {
		return nil, place{}, e
	}
	if f.root.readOnly {
		return nil, place{}, ROFS
	}
	p, e := f.place(path)
	if e != Success {
		return nil, place{}, e
	}
	if e := f.root.protected.refusesPlace(p); e != Success {
		p.close()
		return nil, place{}, e
	}
	return f, p, Success
}

func pathCreateDirectory(h *Host, m memory, a *Args) Errno {
	f, p, e := h.change(m, a[0], a[1], a[2])
	if e != Success {
		return e
	}
	defer p.close()
	return f.root.quota.naming(0, func() error { return unix.Mkdirat(p.dir, p.name, dirMode) })
}

func pathRemoveDirectory(h *Host, m memory, a *Args) Errno {
	f, p, e := h.change(m, a[0], a[1], a[2])
	if e != Success {
		return e
	}
	defer p.close()
	return f.root.quota.unnaming(p, func() error { return unix.Unlinkat(p.dir, p.name, unix.AT_REMOVEDIR) })
}

func pathUnlinkFile(h *Host, m memory, a *Args) Errno {
	f, p, e := h.change(m, a[0], a[1], a[2])
	if e != Success {
		return e
	}
	defer p.close()
	if p.slash {
		return p.notAFile()
	}
	return f.root.quota.unnaming(p, func() error { return unix.Unlinkat(p.dir, p.name, 0) })
}

// notAFile is the answer where a path with a trailing slash should have named a file.
func (p place) notAFile() Errno {
	var st unix.Stat_t
	switch e := p.stat(&st); {
	case e != Success:
		return e
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		return IsDir
	}
	return NotDir
}

func pathRename(h *Host, m memory, a *Args) Errno {
	from, src, e := h.change(m, a[0], a[1], a[2])
	if e != Success {
		return e
	}
	defer src.close()
	to, dst, e := h.change(m, a[3], a[4], a[5])
	if e != Success {
		return e
	}
	defer dst.close()
	if from.root != to.root {
		return XDev // as between mounts; programs copy then, which the quotas see
	}
	if src.slash || dst.slash {
		if e := src.notAFile(); e != IsDir {
			return e
		}
	}
	var old, replaced unix.Stat_t
	over := to.root.quota != nil && dst.stat(&replaced) == Success &&
		(src.stat(&old) != Success || old.Dev != replaced.Dev || old.Ino != replaced.Ino)
	if err := unix.Renameat(src.dir, src.name, dst.dir, dst.name); err != nil {
		return errnoOf(err)
	}
	if over {
		to.root.quota.unnamed(&replaced)
	}
	return Success
}

// pathLink makes a second name within one preopen. Across two it would be a way to
// write to a file of a read-only one.
func pathLink(h *Host, m memory, a *Args) Errno {
	if uint32(a[1]) != 0 {
		return Inval // following a link first is not offered
	}
	from, src, e := h.change(m, a[0], a[2], a[3])
	if e != Success {
		return e
	}
	defer src.close()
	to, dst, e := h.change(m, a[4], a[5], a[6])
	if e != Success {
		return e
	}
	defer dst.close()
	switch {
	case from.root != to.root:
		return XDev
	case src.slash:
		return src.notAFile()
	case dst.slash:
		return NoEnt
	}
	return to.root.quota.naming(0, func() error { return unix.Linkat(src.dir, src.name, dst.dir, dst.name, 0) })
}

// naming does what adds one name, and bytes that are there from the start.
func (q *Quota) naming(bytes int64, do func() error) Errno {
	if !q.mayName() || !q.mayAdd(bytes) {
		return DQuot
	}
	err := do()
	if err == nil {
		q.named()
		q.added(bytes)
	}
	return errnoOf(err)
}

// unnaming does what removes the name p.
func (q *Quota) unnaming(p place, do func() error) Errno {
	if q == nil {
		return errnoOf(do())
	}
	var st unix.Stat_t
	if e := p.stat(&st); e != Success {
		return e
	}
	if err := do(); err != nil {
		return errnoOf(err)
	}
	q.unnamed(&st)
	return Success
}
