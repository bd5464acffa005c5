package wasi

import "time"

// The guest's clocks.
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockProcess   = 2
	clockThread    = 3
)

// started is where the monotonic clock counts from, moved back so that it never
// shows zero: Go's runtime takes that for a broken clock.
var started = time.Now().Add(-time.Second)

func clock(id uint32) (uint64, Errno) {
	switch id {
	case clockRealtime:
		return uint64(time.Now().UnixNano()), Success
	case clockMonotonic:
		return uint64(time.Since(started)), Success
	case clockProcess, clockThread:
		return 0, NotSup
	}
	return 0, Inval
}

func clockTimeGet(_ *Host, m memory, a *Args) Errno {
	out := uint32(a[2])
	if !m.has(out, 8) {
		return Fault
	}
	t, e := clock(uint32(a[0]))
	if e == Success {
		m.put64(out, t)
	}
	return e
}

// clockResGet answers a nanosecond, which is what Linux says of its clocks.
func clockResGet(_ *Host, m memory, a *Args) Errno {
	out := uint32(a[1])
	if !m.has(out, 8) {
		return Fault
	}
	_, e := clock(uint32(a[0]))
	if e == Success {
		m.put64(out, 1)
	}
	return e
}
