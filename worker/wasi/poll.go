package wasi

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

const (
	eventClock = 0
	eventRead  = 1
	eventWrite = 2

	sizeOfSubscription = 48
	sizeOfEvent        = 32

	// maxSubscriptions leaves room for both directions of every descriptor and some
	// clocks.
	maxSubscriptions = 4096

	clockAbsolute = 1
	hangup        = 1
)

// subscription is one thing a guest waits for.
type subscription struct {
	userdata uint64
	kind     byte
	errno    Errno
	ready    bool
	after    time.Duration // of a clock
	file     *file
	poll     int // index of the pollfd, if it needs one
	bytes    uint64
	hangup   bool
}

func pollOneoff(h *Host, m memory, a *Args) Errno {
	in, out, count, result := uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3])
	switch {
	case count == 0, count > maxSubscriptions:
		return Inval
	case !m.has(in, sizeOfSubscription*uint64(count)), !m.has(out, sizeOfEvent*uint64(count)), !m.has(result, 4):
		return Fault
	}
	h.subs = append(h.subs[:0], make([]subscription, count)...)
	subs := h.subs
	fds := make([]unix.PollFd, 1, 4)
	timeout, now := forever, false
	for i := range subs {
		s := &subs[i]
		if e := h.subscribe(s, m, in+uint32(i)*sizeOfSubscription); e != Success {
			return e
		}
		switch {
		case s.ready:
			now = true
		case s.kind == eventClock:
			if timeout == forever || s.after < timeout {
				timeout = s.after
			}
		default:
			s.poll = len(fds)
			fds = append(fds, unix.PollFd{Fd: int32(s.file.fd), Events: s.events()})
		}
	}
	start := time.Now()
	if now {
		timeout = 0
	}
	if timeout != 0 || len(fds) > 1 {
		if e := h.wait(fds, timeout); e != Success {
			return e
		}
	}
	m.put32(result, putEvents(m, out, subs, fds, time.Since(start)))
	return Success
}

// subscribe reads a subscription and settles what needs no waiting.
func (h *Host) subscribe(s *subscription, m memory, at uint32) Errno {
	s.userdata = m.u64(at)
	s.kind = m[at+8]
	switch s.kind {
	case eventClock:
		flags := m.u16(at + 40)
		if flags&^clockAbsolute != 0 {
			return Inval
		}
		s.after, s.errno = clockWait(m.u32(at+16), m.u64(at+24), flags == clockAbsolute)
		s.ready = s.errno != Success
		return Success
	case eventRead, eventWrite:
	default:
		return Inval
	}
	s.file, s.errno = h.file(uint64(m.u32(at + 16)))
	switch {
	case s.errno != Success:
		s.ready = true
	case s.file.kind == directory, s.kind == eventRead && !s.file.r, s.kind == eventWrite && !s.file.w:
		s.errno, s.ready = BadF, true
	case s.file.kind == input:
		s.bytes, s.hangup, s.ready = uint64(len(h.stdin)), len(h.stdin) == 0, true
	case s.file.kind == output:
		s.bytes, s.ready = streamBuffer, true
	case s.file.kind == regular:
		s.bytes, s.ready = s.file.left(), true
	}
	return Success
}

// left is how much there is to read.
func (f *file) left() uint64 {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil || st.Size < f.pos {
		return 0
	}
	return uint64(st.Size - f.pos)
}

// clockWait returns how long it is until a clock shows a time.
func clockWait(id uint32, t uint64, absolute bool) (time.Duration, Errno) {
	now, e := clock(id)
	if e != Success {
		return 0, e
	}
	if absolute {
		if t <= now {
			return 0, Success
		}
		t -= now
	}
	return time.Duration(min(t, math.MaxInt64)), Success
}

func (s *subscription) events() int16 {
	if s.kind == eventRead {
		return unix.POLLIN
	}
	return unix.POLLOUT
}

// putEvents writes what has happened, each record whole, and returns how many.
func putEvents(m memory, out uint32, subs []subscription, fds []unix.PollFd, passed time.Duration) (n uint32) {
	for i := range subs {
		s := &subs[i]
		switch {
		case s.ready:
		case s.kind == eventClock:
			s.ready = s.after <= passed
		default:
			got := fds[s.poll].Revents
			s.ready = got != 0
			s.hangup = got&(unix.POLLHUP|unix.POLLERR) != 0
			if got&s.events() != 0 {
				s.bytes = 1
			}
		}
		if !s.ready {
			continue
		}
		at := out + n*sizeOfEvent
		m.put64(at, s.userdata)
		m.put64(at+8, uint64(uint16(s.errno))|uint64(s.kind)<<16)
		m.put64(at+16, s.bytes)
		m.put64(at+24, 0)
		if s.hangup {
			m.put16(at+24, hangup)
		}
		n++
	}
	return n
}
