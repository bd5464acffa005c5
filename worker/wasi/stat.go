package wasi

import (
	"strings"

	"golang.org/x/sys/unix"
)

// File types as preview 1 numbers them. A FIFO and the two logs have none and are
// "unknown", which C libraries buffer like a pipe.
const (
	typeUnknown   = 0
	typeBlock     = 1
	typeCharacter = 2
	typeDirectory = 3
	typeRegular   = 4
	typeSocket    = 6
	typeSymlink   = 7
)

const sizeOfFilestat = 64

func (f *file) fileType() byte {
	switch f.kind {
	case regular:
		return typeRegular
	case directory:
		return typeDirectory
	}
	return typeUnknown
}

func typeOfMode(mode uint32) byte {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return typeRegular
	case unix.S_IFDIR:
		return typeDirectory
	case unix.S_IFLNK:
		return typeSymlink
	case unix.S_IFSOCK:
		return typeSocket
	case unix.S_IFCHR:
		return typeCharacter
	case unix.S_IFBLK:
		return typeBlock
	}
	return typeUnknown
}

// device numbers the host's devices in the order the guest meets them: 1, 2, 3...
func (h *Host) device(dev uint64) uint64 {
	for i, d := range h.devs {
		if d == dev {
			return uint64(i + 1)
		}
	}
	h.devs = append(h.devs, dev)
	return uint64(len(h.devs))
}

func (h *Host) putStat(m memory, out uint32, st *unix.Stat_t) {
	m.put64(out, h.device(st.Dev))
	m.put64(out+8, st.Ino)
	m.put64(out+16, uint64(typeOfMode(st.Mode)))
	m.put64(out+24, uint64(st.Nlink)) //nolint:unconvert // 32 bits on arm64
	m.put64(out+32, uint64(st.Size))
	m.put64(out+40, uint64(st.Atim.Nano()))
	m.put64(out+48, uint64(st.Mtim.Nano()))
	m.put64(out+56, uint64(st.Ctim.Nano()))
}

func fdFilestatGet(h *Host, m memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	out := uint32(a[1])
	if !m.has(out, sizeOfFilestat) {
		return Fault
	}
	if f.fd < 0 {
		clear(m[out : out+sizeOfFilestat])
		return Success
	}
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return errnoOf(err)
	}
	h.putStat(m, out, &st)
	return Success
}

func pathFilestatGet(h *Host, m memory, a *Args) Errno {
	f, e := h.dir(a[0])
	if e != Success {
		return e
	}
	path, e := h.path(m, a[2], a[3])
	if e != Success {
		return e
	}
	out, lookup := uint32(a[4]), uint32(a[1])
	if lookup&^lookupFollow != 0 {
		return Inval
	}
	if !m.has(out, sizeOfFilestat) {
		return Fault
	}
	var st unix.Stat_t
	if e := f.statPath(path, lookup == lookupFollow, &st); e != Success {
		return e
	}
	h.putStat(m, out, &st)
	return Success
}

// statPath needs no descriptor for a single name that is not a link.
func (f *file) statPath(path string, follow bool, st *unix.Stat_t) Errno {
	if path != ".." && strings.IndexByte(path, '/') < 0 {
		err := unix.Fstatat(f.fd, path, st, unix.AT_SYMLINK_NOFOLLOW)
		if err != nil || !follow || st.Mode&unix.S_IFMT != unix.S_IFLNK {
			return errnoOf(err)
		}
	}
	fd, e := openBeneath(f.fd, path, unix.O_PATH|noFollow(follow), 0)
	if e != Success {
		return e
	}
	defer unix.Close(fd)
	return errnoOf(unix.Fstat(fd, st))
}

func noFollow(follow bool) int {
	if follow {
		return 0
	}
	return unix.O_NOFOLLOW
}
