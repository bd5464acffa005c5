package wasi

import (
	"io"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// streamBuffer holds several hundred lines, and is what one task's output costs in
// memory at most.
const streamBuffer = 32 << 10

// maxDelay is how long output may wait in the buffer: whoever follows the log of a guest
// that computes sees it, and a killed worker loses no more than this.
const maxDelay = time.Second

// stream is one of the guest's two logs.
type stream struct {
	w     io.Writer
	eager bool          // written before the guest's call returns
	delay time.Duration // how long the others may wait

	mu     sync.Mutex // guards what follows and is held while w is written
	buf    []byte
	err    error // the first error of w; the log is dead after it
	late   *time.Timer
	armed  bool // late runs
	closed bool
}

// write takes buffers in the guest's memory.
func (s *stream) write(iov []unix.Iovec) Errno {
	if s.w == nil {
		return Success
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range iov {
		b := unsafe.Slice(v.Base, v.Len)
		if len(s.buf)+len(b) > streamBuffer {
			s.empty()
		}
		if len(b) > streamBuffer {
			s.send(b)
			continue
		}
		if s.buf == nil {
			s.buf = make([]byte, 0, streamBuffer)
		}
		s.buf = append(s.buf, b...)
	}
	if s.eager {
		s.empty()
	} else if !s.armed {
		s.arm()
	}
	if s.err != nil {
		return IO
	}
	return Success
}

// arm sees to it that nothing waits longer than delay. The lock is held.
func (s *stream) arm() {
	s.armed = true
	if s.late == nil {
		s.late = time.AfterFunc(s.delay, s.overdue)
	} else {
		s.late.Reset(s.delay)
	}
}

func (s *stream) overdue() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = false
	if !s.closed {
		s.empty()
	}
}

// flush writes what is buffered.
func (s *stream) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty()
}

// close writes what is buffered. Nothing is written after it has returned.
func (s *stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty()
	s.closed = true
	if s.late != nil {
		s.late.Stop()
	}
	return s.err
}

func (s *stream) empty() {
	if len(s.buf) > 0 {
		s.send(s.buf)
		s.buf = s.buf[:0]
	}
}

func (s *stream) send(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}
