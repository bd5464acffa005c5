package wasi

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// listBuffer is one getdents answer: some 1,000 short names. There is one buffer, so
// listing costs a task no more memory however many directories it lists.
const listBuffer = 32 << 10

// sizeOfDirent is preview 1's record before the name; kernelDirent the kernel's
// (struct linux_dirent64: ino, off, reclen, type).
const (
	sizeOfDirent = 24
	kernelDirent = 19
)

// listing is the directory that was listed last, and where: a cookie is the kernel's
// own d_off, so any cookie can be found again by seeking, and one that continues needs
// nothing.
type listing struct {
	owner *file
	next  uint64 // the cookie of what follows at off
	buf   []byte
	off   int
	n     int
}

// listable returns a descriptor of the directory that can be read; a preopen's own may
// be O_PATH.
func (f *file) listable() (int, Errno) {
	if !f.preopen {
		return f.fd, Success
	}
	if f.scan < 0 {
		fd, e := openBeneath(f.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if e != Success {
			return -1, e
		}
		f.scan = fd
	}
	return f.scan, Success
}

// seek makes the listing stand at a cookie.
func (l *listing) seek(f *file, fd int, cookie uint64) Errno {
	if l.owner == f && l.next == cookie {
		return Success
	}
	if cookie > maxOffset {
		return Inval
	}
	l.owner = nil
	if _, err := unix.Seek(fd, int64(cookie), unix.SEEK_SET); err != nil {
		return errnoOf(err)
	}
	l.owner, l.next, l.off, l.n = f, cookie, 0, 0
	return Success
}

// entry is one record of the kernel's.
type entry struct {
	ino, next uint64
	kind      byte
	name      []byte
	size      int
}

// peek returns the record that the listing stands at; none at the end.
func (l *listing) peek(fd int) (d entry, more bool, e Errno) {
	if l.off >= l.n {
		if l.buf == nil {
			l.buf = make([]byte, listBuffer)
		}
		n, err := unix.Getdents(fd, l.buf)
		for err == unix.EINTR {
			n, err = unix.Getdents(fd, l.buf)
		}
		if err != nil || n == 0 {
			l.off, l.n = 0, 0
			return d, false, errnoOf(err)
		}
		l.off, l.n = 0, n
	}
	r := l.buf[l.off:l.n]
	d.ino = binary.NativeEndian.Uint64(r)
	d.next = binary.NativeEndian.Uint64(r[8:])
	d.size = int(binary.NativeEndian.Uint16(r[16:]))
	d.kind = r[18]
	d.name = r[kernelDirent:d.size]
	d.name = d.name[:bytes.IndexByte(d.name, 0)]
	return d, true, Success
}

// fdReaddir fills the guest's buffer to its last byte when there is more; the record
// that is cut off there is given again when the guest comes back with the cookie of
// the one before it.
func fdReaddir(h *Host, m memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	if f.kind != directory {
		return NotDir
	}
	buf, ok := m.bytes(uint32(a[1]), uint32(a[2]))
	out := uint32(a[4])
	if !ok || !m.has(out, 4) {
		return Fault
	}
	fd, e := f.listable()
	if e != Success {
		return e
	}
	if e := h.list.seek(f, fd, a[3]); e != Success {
		return e
	}
	used := 0
	for used < len(buf) {
		d, more, e := h.list.peek(fd)
		if e != Success {
			h.list.owner = nil
			return e
		}
		if !more {
			break
		}
		n := f.putDirent(buf[used:], d)
		used += n
		if n < sizeOfDirent+len(d.name) {
			break
		}
		h.list.off += d.size
		h.list.next = d.next
	}
	m.put32(out, uint32(used))
	return Success
}

// putDirent writes as much of a record as there is room for.
func (f *file) putDirent(b []byte, d entry) int {
	ino := d.ino
	if string(d.name) == ".." {
		ino = f.parentInode(ino)
	}
	var r [sizeOfDirent]byte
	binary.LittleEndian.PutUint64(r[:], d.next)
	binary.LittleEndian.PutUint64(r[8:], ino)
	binary.LittleEndian.PutUint32(r[16:], uint32(len(d.name)))
	r[20] = typeOfDirent(d.kind)
	n := copy(b, r[:])
	return n + copy(b[n:], d.name)
}

// parentInode hides what lies above the preopened directory: there ".." is ".".
func (f *file) parentInode(ino uint64) uint64 {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil || st.Dev == f.root.dev && st.Ino == f.root.ino {
		return f.root.ino
	}
	return ino
}

func typeOfDirent(t byte) byte { return typeOfMode(uint32(t) << 12) }
