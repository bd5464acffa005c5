package wasi

import (
	"io"
	"unsafe"

	"golang.org/x/sys/unix"
)

// streamBuffer holds several hundred lines, and is what one task's output costs in
// memory at most.
const streamBuffer = 32 << 10

// stream is one of the guest's two logs.
type stream struct {
	w     io.Writer
	eager bool // written before the guest's call returns
	buf   []byte
	err   error // the first error of w; the log is dead after it
}

// write takes buffers in the guest's memory.
func (s *stream) write(iov []unix.Iovec) Errno {
	if s.w == nil {
		return Success
	}
	for _, v := range iov {
		b := unsafe.Slice(v.Base, v.Len)
		if len(s.buf)+len(b) > streamBuffer {
			s.flush()
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
		s.flush()
	}
	if s.err != nil {
		return IO
	}
	return Success
}

func (s *stream) flush() {
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
