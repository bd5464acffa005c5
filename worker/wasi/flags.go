package wasi

import "golang.org/x/sys/unix"

// fdFdstatSetFlags changes appending and blocking. Linux cannot change the sync flags
// of an open file.
func fdFdstatSetFlags(h *Host, _ memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	flags := uint32(a[1])
	const syncs = fdDsync | fdRsync | fdSyncAll
	switch {
	case flags&^31 != 0:
		return Inval
	case flags&syncs != uint32(f.flags)&syncs:
		return NotSup
	}
	if f.kind == regular && (flags^uint32(f.flags))&fdAppend != 0 {
		old, err := unix.FcntlInt(uintptr(f.fd), unix.F_GETFL, 0)
		if err == nil {
			_, err = unix.FcntlInt(uintptr(f.fd), unix.F_SETFL, old^unix.O_APPEND)
		}
		if err != nil {
			return errnoOf(err)
		}
	}
	f.flags = uint16(flags)
	return Success
}
