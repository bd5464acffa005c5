package wasi

func fdPrestatGet(h *Host, m memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	if !f.preopen {
		return BadF // how programs find the end of the preopens
	}
	out := uint32(a[1])
	if !m.has(out, 8) {
		return Fault
	}
	m.put64(out, uint64(len(f.root.name))<<32) // tag 0: a directory
	return Success
}

func fdPrestatDirName(h *Host, m memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	if !f.preopen {
		return BadF
	}
	b, ok := m.bytes(uint32(a[1]), uint32(a[2]))
	if !ok {
		return Fault
	}
	if len(b) < len(f.root.name) {
		return NameTooLong
	}
	copy(b, f.root.name)
	return Success
}
