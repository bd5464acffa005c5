package wasi

import (
	"strings"

	"golang.org/x/sys/unix"
)

// beneath is how every path of a guest is resolved: never above the directory it is
// given against, never through a link of procfs.
const beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS

// renameRaces is how often a resolution may be disturbed. The kernel answers EAGAIN
// when something was renamed while it climbed a ".."; a guest alone cannot cause it.
const renameRaces = 100

// openBeneath resolves a path beneath a directory.
func openBeneath(dir int, path string, flags int, mode uint32) (int, Errno) {
	return openHow(dir, path, flags, mode, beneath)
}

// openHow is openBeneath with a choice of what to resolve.
func openHow(dir int, path string, flags int, mode uint32, resolve uint64) (int, Errno) {
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Mode: uint64(mode), Resolve: resolve}
	for try := 0; ; try++ {
		fd, err := unix.Openat2(dir, path, &how)
		switch {
		case err == nil:
			return fd, Success
		case err == unix.EINTR, err == unix.EAGAIN && try < renameRaces:
			continue
		case err == unix.EXDEV:
			return -1, NotCapable // the path would leave; elsewhere EXDEV means two file systems
		}
		return -1, errnoOf(err)
	}
}

// path reads a path argument. A path is relative to the descriptor it comes with.
func (h *Host) path(m memory, ptr, n uint64) (string, Errno) {
	s, e := m.text(uint32(ptr), uint32(n))
	h.named = s
	switch {
	case e != Success:
		return "", e
	case s == "":
		return "", NoEnt
	case s[0] == '/':
		return "", NotCapable
	}
	return s, Success
}

// place is a name in a directory that is open: what the calls without an openat2 of
// their own work on. The name has no slash, so it cannot lead anywhere else.
type place struct {
	path  string // as the guest gave it
	dir   int
	name  string
	slash bool // the path ended in a slash
	owned bool
}

// place finds the directory of a path's last component. "." and ".." are refused: they
// name a directory from within, and on ".." an at-call would leave the preopen.
func (f *file) place(path string) (place, Errno) {
	s := strings.TrimRight(path, "/")
	p := place{path: path, dir: f.fd, name: s, slash: len(s) < len(path)}
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		fd, e := openBeneath(f.fd, s[:i], unix.O_PATH|unix.O_DIRECTORY, 0)
		if e != Success {
			return place{}, e
		}
		p.dir, p.name, p.owned = fd, s[i+1:], true
	}
	if p.name == "." || p.name == ".." {
		p.close()
		return place{}, Inval
	}
	return p, Success
}

func (p place) close() {
	if p.owned {
		unix.Close(p.dir)
	}
}

// stat looks at the name itself, not at what a link there points to.
func (p place) stat(st *unix.Stat_t) Errno {
	return errnoOf(unix.Fstatat(p.dir, p.name, st, unix.AT_SYMLINK_NOFOLLOW))
}
