package retention

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// mostFloor and floorPart: a small disk keeps a part of it free, a large one no more than what many trees' records need.
	mostFloor = 1 << 30
	floorPart = 20
	// backAbove is how far the free bytes come above the floor, in parts of it, before that is told.
	backAbove = 10
)

// Floor watches the disk of a state folder. It is safe for concurrent use.
type Floor struct {
	path string
	stat func(path string, into *unix.Statfs_t) error
	tell func(low bool, free, floor int64)
	low  atomic.Bool
}

// NewFloor watches the disk that path lies on. tell is told when it comes below the floor, and when it is well above it again; it must
// not block.
func NewFloor(path string, tell func(low bool, free, floor int64)) *Floor {
	return &Floor{path: path, stat: unix.Statfs, tell: tell}
}

// Check says how many bytes are free, the floor (1 GiB or 5 % of the disk, whichever is less), and whether something may begin. A disk that
// cannot be asked is no reason to refuse.
func (f *Floor) Check() (free, floor int64, enough bool) {
	var s unix.Statfs_t
	if err := f.stat(f.path, &s); err != nil {
		return 0, 0, true
	}
	free = int64(s.Bavail) * s.Bsize
	floor = min(mostFloor, int64(s.Blocks)*s.Bsize/floorPart)
	enough = free >= floor
	switch {
	case !enough && f.low.CompareAndSwap(false, true):
		f.tell(true, free, floor)
	case free >= floor+floor/backAbove && f.low.CompareAndSwap(true, false):
		f.tell(false, free, floor)
	}
	return free, floor, enough
}
