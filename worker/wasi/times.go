package wasi

import (
	"math"

	"golang.org/x/sys/unix"
)

// The bits that say which times to set, and to what.
const (
	setAtime    = 1
	setAtimeNow = 2
	setMtime    = 4
	setMtimeNow = 8

	allTimeBits    = 15
	nanosPerSecond = 1_000_000_000
)

// times reads the arguments of both functions that set times.
func times(atime, mtime uint64, flags uint32) (ts [2]unix.Timespec, e Errno) {
	if flags&^allTimeBits != 0 {
		return ts, Inval
	}
	for i, t := range []struct {
		ns       uint64
		set, now bool
	}{
		{atime, flags&setAtime != 0, flags&setAtimeNow != 0},
		{mtime, flags&setMtime != 0, flags&setMtimeNow != 0},
	} {
		switch {
		case t.set && t.now, t.set && t.ns > math.MaxInt64:
			return ts, Inval
		case t.set:
			ts[i] = unix.Timespec{Sec: int64(t.ns / nanosPerSecond), Nsec: int64(t.ns % nanosPerSecond)}
		case t.now:
			ts[i] = unix.Timespec{Nsec: unix.UTIME_NOW}
		default:
			ts[i] = unix.Timespec{Nsec: unix.UTIME_OMIT}
		}
	}
	return ts, Success
}

func fdFilestatSetTimes(h *Host, _ memory, a *Args) Errno {
	f, e := h.file(a[0])
	if e != Success {
		return e
	}
	ts, e := times(a[1], a[2], uint32(a[3]))
	switch {
	case e != Success:
		return e
	case f.root == nil:
		return Inval
	case f.root.readOnly:
		return ROFS
	}
	if e := f.root.protected.refuses(f.fd); e != Success {
		return e
	}
	return errnoOf(unix.UtimesNanoAt(f.fd, "", ts[:], unix.AT_EMPTY_PATH))
}

func pathFilestatSetTimes(h *Host, m memory, a *Args) Errno {
	f, e := h.dir(a[0])
	if e != Success {
		return e
	}
	path, e := h.path(m, a[2], a[3])
	if e != Success {
		return e
	}
	lookup := uint32(a[1])
	ts, e := times(a[4], a[5], uint32(a[6]))
	switch {
	case e != Success:
		return e
	case lookup&^lookupFollow != 0:
		return Inval
	case f.root.readOnly:
		return ROFS
	}
	fd, e := openBeneath(f.fd, path, unix.O_PATH|noFollow(lookup == lookupFollow), 0)
	if e != Success {
		return e
	}
	defer unix.Close(fd)
	if e := f.root.protected.refuses(fd); e != Success {
		return e
	}
	return errnoOf(unix.UtimesNanoAt(fd, "", ts[:], unix.AT_EMPTY_PATH))
}
