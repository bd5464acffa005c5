package wasi

import (
	"errors"

	"golang.org/x/sys/unix"
)

func fdSync(h *Host, _ memory, a *Args) Errno { return h.sync(a[0], unix.Fsync) }

func fdDatasync(h *Host, _ memory, a *Args) Errno { return h.sync(a[0], unix.Fdatasync) }

func (h *Host) sync(fd uint64, do func(int) error) Errno {
	f, e := h.file(fd)
	switch {
	case e != Success:
		return e
	case f.kind == directory:
		n, e := f.listable()
		if e != Success {
			return e
		}
		return errnoOf(do(n))
	case f.kind == output:
		f.stream.flush()
		return Success
	case f.kind == input:
		return Inval
	}
	return errnoOf(ignoringEINTR(func() error { return do(f.fd) }))
}

// ignoringEINTR does something again while signals interrupt it.
func ignoringEINTR(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
