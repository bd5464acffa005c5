package wasi

import "golang.org/x/sys/unix"

// The bits of path_open's arguments.
const (
	lookupFollow = 1

	oCreat     = 1
	oDirectory = 2
	oExcl      = 4
	oTrunc     = 8

	fdAppend   = 1
	fdDsync    = 2
	fdNonblock = 4
	fdRsync    = 8
	fdSyncAll  = 16
)

// Modes of what guests make: only the owner writes.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// wish is what path_open was asked for.
type wish struct {
	read, write bool
	oflags      uint16
	fdflags     uint16
	flags       int // the kernel's, without access mode and creation
}

func pathOpen(h *Host, m memory, a *Args) Errno {
	dir, e := h.dir(a[0])
	if e != Success {
		return e
	}
	path, e := h.path(m, a[2], a[3])
	if e != Success {
		return e
	}
	out := uint32(a[8])
	if !m.has(out, 4) {
		return Fault
	}
	w, e := wished(uint32(a[1]), uint32(a[4]), a[5], uint32(a[7]))
	if e != Success {
		return e
	}
	n, e := h.reserve()
	if e != Success {
		return e
	}
	f, e := dir.open(path, w)
	if e != Success {
		return e
	}
	h.files[n] = f
	m.put32(out, uint32(n))
	return Success
}

// wished reads the arguments. Only two rights decide the access mode: guests ask for
// most others out of habit.
func wished(lookup, oflags uint32, rights uint64, fdflags uint32) (w wish, e Errno) {
	if lookup&^lookupFollow != 0 || oflags&^15 != 0 || fdflags&^31 != 0 {
		return w, Inval
	}
	w = wish{read: rights&rightRead != 0, write: rights&rightWrite != 0, oflags: uint16(oflags), fdflags: uint16(fdflags)}
	w.flags = unix.O_NONBLOCK | unix.O_NOCTTY // the first so that a FIFO never blocks here
	for _, b := range []struct {
		on   bool
		flag int
	}{
		{lookup&lookupFollow == 0, unix.O_NOFOLLOW},
		{oflags&oDirectory != 0, unix.O_DIRECTORY},
		{fdflags&fdAppend != 0, unix.O_APPEND},
		{fdflags&fdDsync != 0, unix.O_DSYNC},
		{fdflags&(fdRsync|fdSyncAll) != 0, unix.O_SYNC},
	} {
		if b.on {
			w.flags |= b.flag
		}
	}
	return w, Success
}

func (f *file) open(path string, w wish) (*file, Errno) {
	if f.root.readOnly && (w.write || w.oflags&oTrunc != 0) {
		return nil, ROFS
	}
	access := unix.O_RDONLY
	switch {
	case w.write && !w.read:
		access = unix.O_WRONLY
	case w.write, w.oflags&oTrunc != 0: // truncating needs a descriptor that can write
		access = unix.O_RDWR
	}
	fd, made, e := f.openOrCreate(path, w, access|w.flags)
	if e != Success {
		return nil, e
	}
	if made {
		f.root.quota.named()
	} else if w.write || w.oflags&oTrunc != 0 {
		if e := f.root.protected.refuses(fd); e != Success {
			unix.Close(fd)
			return nil, e
		}
	}
	n, e := f.adopt(fd, w)
	if e != Success {
		unix.Close(fd)
	}
	return n, e
}

// openOrCreate creates only when there is nothing, so that it knows whether it did.
func (f *file) openOrCreate(path string, w wish, flags int) (fd int, made bool, e Errno) {
	if w.oflags&oCreat == 0 {
		fd, e = openBeneath(f.fd, path, flags, 0)
		return fd, false, e
	}
	if w.oflags&oExcl != 0 {
		fd, e = openBeneath(f.fd, path, unix.O_PATH|unix.O_NOFOLLOW, 0)
		if e == Success {
			unix.Close(fd)
			return -1, false, Exist
		}
		flags |= unix.O_EXCL
	} else {
		fd, e = openBeneath(f.fd, path, flags, 0)
	}
	if e != NoEnt {
		return fd, false, e
	}
	switch {
	case f.root.readOnly:
		return -1, false, ROFS
	case !f.root.quota.mayName():
		return -1, false, DQuot
	}
	if f.root.protected != nil {
		fd, e = f.create(path, flags)
		return fd, true, e
	}
	fd, e = openBeneath(f.fd, path, flags|unix.O_CREAT, fileMode)
	return fd, true, e
}

// adopt turns what was opened into a descriptor, or refuses it: a device is not a
// guest's business, whoever put it there.
func (f *file) adopt(fd int, w wish) (*file, Errno) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errnoOf(err)
	}
	n := &file{fd: fd, root: f.root, r: w.read, w: w.write, flags: w.fdflags}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		n.kind = regular
	case unix.S_IFDIR:
		n.kind, n.r, n.w = directory, false, false
		return n, Success
	case unix.S_IFIFO:
		n.kind = pipe
		return n, Success
	default:
		return nil, NotCapable
	}
	trunc := w.oflags&oTrunc != 0 && st.Size > 0
	if trunc {
		if err := unix.Ftruncate(fd, 0); err != nil {
			return nil, errnoOf(err)
		}
	}
	if q := f.root.quota; q != nil {
		n.node = q.opened(&st)
		if trunc {
			q.resized(n.node, 0)
		}
	}
	return n, Success
}
