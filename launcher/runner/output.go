package runner

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxOutput is all that is ever read of a worker's standard output. The handshake is one line of some 100 bytes; the
	// library would go on reading for as long as the worker writes.
	maxOutput = 64 << 10
	// maxSaid is how much of it is kept to say what was spoken instead of a handshake.
	maxSaid = 128
)

// output is the pipe that carries the handshake. It ends when the pipe does, when maxOutput bytes have been read, when the
// process has ended, or when it is cut.
type output struct {
	pipe *os.File

	mu    sync.Mutex // guards what follows
	read  int
	said  []byte
	ended bool // by the process itself
	isCut bool
}

func newOutput(pipe *os.File) *output { return &output{pipe: pipe} }

// Read never fails: whatever it is that ends the output, to the library it is the end of file.
func (o *output) Read(p []byte) (int, error) {
	room, err := o.room()
	if err != nil {
		return 0, err
	}
	n, err := o.pipe.Read(p[:min(len(p), room)])
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = o.drain(p[:min(len(p), room)])
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.read += n
	o.said = append(o.said, p[:min(n, maxSaid-len(o.said))]...)
	if err != nil {
		o.ended = o.ended || errors.Is(err, io.EOF) && !o.isCut
		return n, io.EOF
	}
	return n, nil
}

func (o *output) room() (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.isCut || o.read >= maxOutput {
		return 0, io.EOF
	}
	return maxOutput - o.read, nil
}

// drain reads what an ended process has left in the pipe, and does not wait for more: a descendant may hold the other end.
func (o *output) drain(p []byte) (n int, err error) {
	raw, err := o.pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { n, failed = unix.Read(int(fd), p) }); err != nil {
		return 0, err
	}
	if failed != nil || n <= 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close is the library's; the pipe is closed by close.
func (o *output) Close() error { return nil }

// end makes reads return what is there and then the end.
func (o *output) end() {
	// A pipe in the poller takes deadlines; a closed one needs none.
	_ = o.pipe.SetReadDeadline(time.Unix(1, 0))
}

// cut makes reads return the end at once.
func (o *output) cut() {
	o.mu.Lock()
	o.isCut = true
	o.mu.Unlock()
	o.end()
}

func (o *output) close() { o.pipe.Close() }

func (o *output) spoken() (said []byte, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]byte(nil), o.said...), o.ended
}
