package wasi

import "golang.org/x/sys/unix"

// kind is how a descriptor behaves here; fileType is what the guest is told.
type kind byte

const (
	regular kind = iota
	directory
	pipe   // a FIFO: the only thing in a directory that can block
	input  // the task's text
	output // one of the two logs
)

// root is the preopened directory that a descriptor comes from.
type root struct {
	name     string
	readOnly bool
	quota    *Quota
	dev, ino uint64

	protected *protection // nil: nothing in particular
}

// file is one open descriptor of the guest. Its rights are a function of kind, r, w
// and the root; none are stored.
type file struct {
	fd      int
	kind    kind
	root    *root // nil for streams
	r, w    bool
	flags   uint16 // the guest's fdflags
	preopen bool   // fd belongs to the caller of New
	pos     int64  // of a regular file: the kernel's own offset is not used
	node    *node  // of a regular file below a quota
	scan    int    // of a preopen: a descriptor that can be listed; -1 until needed
	stream  *stream
}

// file returns an open descriptor.
func (h *Host) file(fd uint64) (*file, Errno) {
	n := uint32(fd)
	if uint64(n) >= uint64(len(h.files)) || h.files[n] == nil {
		return nil, BadF
	}
	return h.files[n], Success
}

// dir returns a descriptor that paths can be resolved against.
func (h *Host) dir(fd uint64) (*file, Errno) {
	f, e := h.file(fd)
	if e == Success && f.kind != directory {
		return nil, NotDir
	}
	return f, e
}

// plain returns a descriptor of a regular file.
func (h *Host) plain(fd uint64) (*file, Errno) {
	f, e := h.file(fd)
	switch {
	case e != Success:
		return nil, e
	case f.kind == directory:
		return nil, BadF
	case f.kind != regular:
		return nil, SPipe
	}
	return f, Success
}

// reserve finds the lowest free number.
func (h *Host) reserve() (int, Errno) {
	for n, f := range h.files {
		if f == nil {
			return n, Success
		}
	}
	if len(h.files) >= maxFiles {
		return 0, MFile
	}
	h.files = append(h.files, nil)
	return len(h.files) - 1, Success
}

// release closes what a number stood for.
func (h *Host) release(f *file) {
	if h.list.owner == f {
		h.list.owner = nil
	}
	switch {
	case f.preopen && f.scan >= 0:
		unix.Close(f.scan)
	case !f.preopen && f.fd >= 0:
		unix.Close(f.fd)
	}
	if f.node != nil {
		f.root.quota.closed(f.node)
	}
	if f.stream != nil {
		f.stream.flush()
	}
}

func fdClose(h *Host, _ memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	h.files[uint32(a[0])] = nil
	h.release(f)
	return Success
}

// fdRenumber moves one open number onto another. Both must be open, so the table can
// only shrink here, whatever number the guest names.
func fdRenumber(h *Host, _ memory, a *Args) Errno {
	from, e := h.file(a[0])
	if e != Success {
		return e
	}
	to, e := h.file(a[1])
	if e != Success || from == to {
		return e
	}
	h.files[uint32(a[0])] = nil
	h.files[uint32(a[1])] = from
	h.release(to)
	return Success
}
