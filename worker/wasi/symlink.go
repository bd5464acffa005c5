package wasi

import (
	"strings"

	"golang.org/x/sys/unix"
)

// pathSymlink makes a link that stays inside. The kernel would not follow another one
// for a guest, but programs on the host might.
func pathSymlink(h *Host, m memory, a *Args) Errno {
	target, e := m.text(uint32(a[0]), uint32(a[1]))
	if e != Success {
		return e
	}
	f, p, e := h.change(m, a[2], a[3], a[4])
	if e != Success {
		return e
	}
	defer p.close()
	if target == "" {
		return NoEnt
	}
	if e := f.confined(target, p.path); e != Success {
		return e
	}
	if p.slash {
		if e := p.notAFile(); e != IsDir {
			return e
		}
		return Exist
	}
	return f.root.quota.naming(int64(len(target)), func() error { return unix.Symlinkat(target, p.dir, p.name) })
}

// confined refuses a target that is absolute, that climbs further than the link lies
// below f, or that climbs after it has gone down, since another link may be there. How
// deep a link lies is counted in its path, which therefore must itself lead through no
// link when the target climbs at all.
func (f *file) confined(target, path string) Errno {
	if target[0] == '/' {
		return NotCapable
	}
	up, down := 0, false
	for _, c := range strings.Split(target, "/") {
		switch {
		case c == "" || c == ".":
		case c != "..":
			down = true
		case down:
			return NotCapable
		default:
			up++
		}
	}
	if up == 0 {
		return Success
	}
	parent := "."
	if i := strings.LastIndexByte(strings.TrimRight(path, "/"), '/'); i >= 0 {
		parent = path[:i]
	}
	depth := 0
	for _, c := range strings.Split(parent, "/") {
		switch c {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
	}
	if up > depth {
		return NotCapable
	}
	fd, e := openHow(f.fd, parent, unix.O_PATH|unix.O_DIRECTORY, 0, beneath|unix.RESOLVE_NO_SYMLINKS)
	if e == Success {
		return errnoOf(unix.Close(fd))
	}
	if e == Loop {
		return NotCapable
	}
	return e
}

func pathReadlink(h *Host, m memory, a *Args) Errno {
	f, e := h.dir(a[0])
	if e != Success {
		return e
	}
	path, e := h.path(m, a[1], a[2])
	if e != Success {
		return e
	}
	buf, ok := m.bytes(uint32(a[3]), uint32(a[4]))
	out := uint32(a[5])
	if !ok || !m.has(out, 4) {
		return Fault
	}
	p, e := f.place(path)
	if e != Success {
		return e
	}
	defer p.close()
	if p.slash {
		return Inval
	}
	if len(buf) == 0 {
		var st unix.Stat_t // the kernel refuses an empty buffer, preview 1 does not
		if e := p.stat(&st); e != Success {
			return e
		}
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			return Inval
		}
		m.put32(out, 0)
		return Success
	}
	n, err := unix.Readlinkat(p.dir, p.name, buf)
	if err != nil {
		return errnoOf(err)
	}
	m.put32(out, uint32(n))
	return Success
}
