package wasi

import "crypto/rand"

func argsSizesGet(h *Host, m memory, a *Args) Errno { return sizes(m, a, h.args) }

func argsGet(h *Host, m memory, a *Args) Errno { return strings0(m, a, h.args) }

func environSizesGet(h *Host, m memory, a *Args) Errno { return sizes(m, a, h.env) }

func environGet(h *Host, m memory, a *Args) Errno { return strings0(m, a, h.env) }

func textSize(list []string) (n uint64) {
	for _, s := range list {
		n += uint64(len(s)) + 1
	}
	return n
}

func sizes(m memory, a *Args, list []string) Errno {
	count, bytes := uint32(a[0]), uint32(a[1])
	if !m.has(count, 4) || !m.has(bytes, 4) {
		return Fault
	}
	m.put32(count, uint32(len(list)))
	m.put32(bytes, uint32(textSize(list)))
	return Success
}

// strings0 writes the strings with a NUL after each, and where each begins.
func strings0(m memory, a *Args, list []string) Errno {
	index, text := uint32(a[0]), uint32(a[1])
	if !m.has(index, 4*uint64(len(list))) || !m.has(text, textSize(list)) {
		return Fault
	}
	for _, s := range list {
		m.put32(index, text)
		copy(m[text:], s)
		m[text+uint32(len(s))] = 0
		index, text = index+4, text+uint32(len(s))+1
	}
	return Success
}

// randomChunk is how much is made between two looks at the context: some 0.2 ms.
const randomChunk = 64 << 10

func randomGet(h *Host, m memory, a *Args) Errno {
	b, ok := m.bytes(uint32(a[0]), uint32(a[1]))
	if !ok {
		return Fault
	}
	for len(b) > 0 {
		n := min(len(b), randomChunk)
		rand.Read(b[:n])
		b = b[n:]
		if len(b) > 0 && h.ctx.Err() != nil {
			return canceled
		}
	}
	return Success
}

func procExit(h *Host, _ memory, a *Args) Errno {
	h.out.flush()
	h.exit = &ExitError{Code: uint32(a[0])}
	return exited
}

// procRaise has nobody to signal.
func procRaise(*Host, memory, *Args) Errno { return NotSup }

// schedYield has nothing to do: a guest is one thread, and Go and the kernel take the
// processor from it when they like.
func schedYield(*Host, memory, *Args) Errno { return Success }
