package wasi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sys/unix"
)

// Config is all that a task's world is made of. It is not changed by New.
type Config struct {
	// Args are the guest's arguments, the program's name first. Env holds "NAME=value".
	// Neither may contain a NUL.
	Args, Env []string

	// Stdin is what descriptor 0 reads, the task's text; it is not copied.
	Stdin []byte

	// Stdout and Stderr receive what the guest writes to descriptors 1 and 2. What goes
	// to Stderr has been written when the guest's call returns. Stdout is buffered (32
	// KiB) until a wait, an exit, Flush or Close, or for a second; then a goroutine of
	// the Host's writes, never two at once, and none after Close. Nil discards.
	Stdout, Stderr io.Writer

	// Preopens are the directories the guest starts with, as descriptors 3 and up in
	// this order.
	Preopens []Preopen

	// Ctx is the task's: every wait of the guest ends with it. Required.
	Ctx context.Context //nolint:containedctx // the guest's calls bring none of their own

	// Refused, when set, is told of each access that was refused for leaving its
	// directory (NotCapable), for writing to a read-only one (ROFS) or for a quota
	// (DQuot): the function's name, the path as the guest gave it (guest data; "" when
	// there was none) and the code. It runs inside the guest's call, as often as the
	// guest likes: bounding is the receiver's task.
	Refused func(op, path string, errno Errno)
}

// Preopen is one directory handed to the guest.
type Preopen struct {
	// FD is an open directory; O_PATH will do. It stays the caller's, and must stay
	// open until Close has returned.
	FD int

	// Name is what the guest calls it, such as "." or "murmur-runtime".
	Name string

	// ReadOnly refuses every change beneath it.
	ReadOnly bool

	// Protected are paths beneath it, relative and clean, that cannot be changed, and
	// neither can what lies beneath them. Each must exist. It needs /proc: without it
	// every change in this preopen is refused.
	Protected []string

	// Quota bounds what the guest may add beneath it; nil means unbounded. Preopens may
	// share one.
	Quota *Quota
}

// maxFiles is how many descriptors a guest may have open, preopens and streams
// included: what a Linux process is usually given.
const maxFiles = 1024

// Host is one task's world. All of it belongs to the goroutine that runs the guest,
// except that Config.Ctx may end at any time.
type Host struct {
	ctx     context.Context //nolint:containedctx // as in Config
	refused func(op, path string, errno Errno)
	args    []string
	env     []string
	stdin   []byte
	out     *stream
	errs    *stream
	files   []*file
	roots   []*root
	devs    []uint64
	exit    *ExitError
	named   string
	iov     [maxVecs]unix.Iovec
	niov    int
	list    listing
	subs    []subscription
	waiter  waiter
}

// New makes the world of one task. It fails if the kernel has no openat2 (or a filter
// hides it), if a preopen is not a directory, or if Config is wrong. The caller must
// Close the Host when the guest has returned.
func New(c Config) (*Host, error) {
	if c.Ctx == nil {
		return nil, errors.New("wasi: no context")
	}
	if err := Supported(); err != nil {
		return nil, err
	}
	for _, s := range append(append([]string{}, c.Args...), c.Env...) {
		if strings.IndexByte(s, 0) >= 0 {
			return nil, fmt.Errorf("wasi: argument or variable %.40q contains a NUL", s)
		}
	}
	h := &Host{ctx: c.Ctx, refused: c.Refused, args: c.Args, env: c.Env, stdin: c.Stdin}
	h.out = &stream{w: c.Stdout, delay: maxDelay}
	h.errs = &stream{w: c.Stderr, eager: true}
	h.files = []*file{
		{fd: -1, kind: input, r: true},
		{fd: -1, kind: output, w: true, stream: h.out},
		{fd: -1, kind: output, w: true, stream: h.errs},
	}
	for _, p := range c.Preopens {
		f, err := preopened(p)
		if err != nil {
			h.unprotect()
			return nil, err
		}
		h.files = append(h.files, f)
		h.roots = append(h.roots, f.root)
	}
	if len(h.files) > maxFiles {
		h.unprotect()
		return nil, fmt.Errorf("wasi: %d preopens, the limit is %d", len(c.Preopens), maxFiles-3)
	}
	if err := h.waiter.open(c.Ctx); err != nil {
		h.unprotect()
		return nil, err
	}
	return h, nil
}

// unprotect closes what the roots hold of their own. A guest can close a preopen and go
// on with what it opened beneath it, so this waits for the Host's end.
func (h *Host) unprotect() {
	for _, r := range h.roots {
		r.protected.close()
	}
}

func preopened(p Preopen) (*file, error) {
	var st unix.Stat_t
	if err := unix.Fstat(p.FD, &st); err != nil {
		return nil, fmt.Errorf("wasi: preopen %q: %w", p.Name, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil, fmt.Errorf("wasi: preopen %q is not a directory", p.Name)
	}
	if p.Name == "" || len(p.Name) > maxPath || strings.IndexByte(p.Name, 0) >= 0 {
		return nil, fmt.Errorf("wasi: preopen %.40q: the name must have 1 to %d bytes and no NUL", p.Name, maxPath)
	}
	protected, err := protect(p.FD, p.Protected)
	if err != nil {
		return nil, fmt.Errorf("wasi: preopen %q: protect %w", p.Name, err)
	}
	r := &root{name: p.Name, readOnly: p.ReadOnly, quota: p.Quota, dev: st.Dev, ino: st.Ino, protected: protected}
	return &file{fd: p.FD, kind: directory, root: r, preopen: true, scan: -1}, nil
}

// Supported reports whether this kernel has openat2 and lets this process use it.
// There is nothing to fall back on.
func Supported() error {
	fd, err := unix.Openat2(unix.AT_FDCWD, ".", &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: beneath,
	})
	if err != nil {
		return fmt.Errorf("wasi: openat2 is needed (Linux 5.6, not filtered): %w", err)
	}
	return unix.Close(fd)
}

// Close ends the task's world: buffered output is written and every descriptor that
// the guest left open is closed. It returns the first error of writing output. It may
// be called once, after the guest has returned.
func (h *Host) Close() error {
	for _, f := range h.files {
		if f != nil {
			h.release(f)
		}
	}
	h.files = nil
	h.unprotect()
	h.waiter.close()
	return errors.Join(h.out.close(), h.errs.close())
}

// Flush writes what the guest's Stdout has buffered.
func (h *Host) Flush() { h.out.flush() }
