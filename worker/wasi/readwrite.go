package wasi

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// here stands for the descriptor's own position.
const here = -1

func fdRead(h *Host, m memory, a *Args) Errno { return h.read(m, a[0], a[1], a[2], here, a[3]) }

func fdWrite(h *Host, m memory, a *Args) Errno { return h.write(m, a[0], a[1], a[2], here, a[3]) }

func fdPread(h *Host, m memory, a *Args) Errno {
	if a[3] > maxOffset {
		return Inval
	}
	return h.read(m, a[0], a[1], a[2], int64(a[3]), a[4])
}

func fdPwrite(h *Host, m memory, a *Args) Errno {
	if a[3] > maxOffset {
		return Inval
	}
	return h.write(m, a[0], a[1], a[2], int64(a[3]), a[4])
}

func (h *Host) read(m memory, fd, ptr, count uint64, at int64, result uint64) Errno {
	f, e := h.file(fd)
	switch {
	case e != Success:
		return e
	case f.kind == directory:
		return IsDir
	case !f.r:
		return BadF
	case at != here && f.kind != regular:
		return SPipe
	}
	out := uint32(result)
	if !m.has(out, 4) {
		return Fault
	}
	want, e := h.vecs(m, uint32(ptr), uint32(count))
	n := 0
	if e == Success && want > 0 {
		switch f.kind {
		case input:
			n = h.readInput()
		case regular:
			n, e = h.transfer(unix.SYS_PREADV, f, at)
		default:
			n, e = h.blocking(unix.SYS_READV, f, unix.POLLIN)
		}
	}
	h.dropVecs()
	if e == Success {
		m.put32(out, uint32(n))
	}
	return e
}

func (h *Host) readInput() (n int) {
	for _, v := range h.iov[:h.niov] {
		c := copy(unsafe.Slice(v.Base, v.Len), h.stdin)
		h.stdin = h.stdin[c:]
		n += c
	}
	return n
}

func (h *Host) write(m memory, fd, ptr, count uint64, at int64, result uint64) Errno {
	f, e := h.file(fd)
	switch {
	case e != Success:
		return e
	case f.kind == directory:
		return IsDir
	case !f.w:
		return BadF
	case at != here && f.kind != regular:
		return SPipe
	}
	out := uint32(result)
	if !m.has(out, 4) {
		return Fault
	}
	n, e := h.vecs(m, uint32(ptr), uint32(count))
	if e == Success && n > 0 {
		switch f.kind {
		case output:
			e = f.stream.write(h.iov[:h.niov])
		case regular:
			n, e = h.writeFile(f, at, n)
		default:
			n, e = h.blocking(unix.SYS_WRITEV, f, unix.POLLOUT)
		}
	}
	h.dropVecs()
	if e == Success {
		m.put32(out, uint32(n))
	}
	return e
}

// writeFile writes n bytes, or as many as the quota has room for.
func (h *Host) writeFile(f *file, at int64, n int) (int, Errno) {
	start := at
	if at == here {
		start = f.pos
	}
	if f.node == nil {
		return h.transfer(unix.SYS_PWRITEV, f, at)
	}
	q := f.root.quota
	if f.flags&fdAppend != 0 {
		start = f.node.size
	}
	room := q.limit(f.node) - start
	if room <= 0 {
		return 0, DQuot
	}
	if int64(n) > room {
		h.clip(int(room))
	}
	n, e := h.transfer(unix.SYS_PWRITEV, f, at)
	if e == Success && start+int64(n) > f.node.size {
		q.resized(f.node, start+int64(n))
	}
	return n, e
}

// transfer moves bytes between h.iov and a regular file, which never waits for
// anybody. Linux appends on an O_APPEND descriptor whatever offset is given.
func (h *Host) transfer(nr uintptr, f *file, at int64) (int, Errno) {
	offset := at
	if at == here {
		offset = f.pos
	}
	n, e := h.vectored(nr, f.fd, offset)
	if e != Success || at != here {
		return n, e
	}
	f.pos += int64(n)
	if nr == unix.SYS_PWRITEV && f.flags&fdAppend != 0 {
		end, err := unix.Seek(f.fd, 0, unix.SEEK_END)
		if err != nil {
			return n, errnoOf(err)
		}
		f.pos = end
	}
	return n, Success
}

// blocking moves bytes through something that can make the guest wait. It looks first
// whether there is any: before its first writer came, a FIFO says "end of file" to a
// read that does not wait.
func (h *Host) blocking(nr uintptr, f *file, events int16) (int, Errno) {
	for {
		if e := h.ready(f, events); e != Success {
			return 0, e
		}
		n, e := h.vectored(nr, f.fd, 0)
		if e != Again || f.flags&fdNonblock != 0 {
			return n, e
		}
	}
}

// vectored is readv and its kin on h.iov. The kernel writes to the guest's memory; the
// bounds were checked by vecs.
func (h *Host) vectored(nr uintptr, fd int, at int64) (int, Errno) {
	for {
		n, _, err := unix.Syscall6(nr, uintptr(fd), uintptr(unsafe.Pointer(&h.iov)), uintptr(h.niov), uintptr(at), 0, 0)
		if err == 0 {
			return int(n), Success
		}
		if err != unix.EINTR {
			return 0, errnoOf(err)
		}
	}
}

// dropVecs forgets the guest's memory, which may be unmapped before the next call.
func (h *Host) dropVecs() {
	clear(h.iov[:h.niov])
	h.niov = 0
}
