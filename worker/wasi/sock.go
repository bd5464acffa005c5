package wasi

// A guest is given no socket and cannot make one, so every open descriptor is
// something else.
func notSocket(h *Host, _ memory, a *Args) Errno {
	if _, e := h.file(a[0]); e != Success {
		return e
	}
	return NotSock
}
