package wasi

import (
	"strings"

	"golang.org/x/sys/unix"
)

// pathSymlink makes a link that leads nowhere above. The kernel would not follow
// another one for a guest, but programs on the host might.
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
	if e := confined(target, p.path); e != Success {
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

// confined refuses a target that is absolute or that climbs, read as text from where
// the link lies below f, above f at any point. What the text says can become wrong
// when links and directories are moved; see the package's comment.
func confined(target, path string) Errno {
	if target[0] == '/' {
		return NotCapable
	}
	parent := ""
	if i := strings.LastIndexByte(strings.TrimRight(path, "/"), '/'); i >= 0 {
		parent = path[:i]
	}
	depth := 0
	for _, c := range strings.Split(parent+"/"+target, "/") {
		switch c {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return NotCapable
		}
	}
	return Success
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
