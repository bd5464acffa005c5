package wasi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// protection is what of a writable preopen stays as it is. It goes by where the kernel
// says that a thing lies, not by the path that the guest took to it: links, renamed
// directories and descriptors opened beforehand lead to the same answer.
type protection struct {
	fds []int // what is protected
	// spine holds these and every directory on the way to them: whoever could move one
	// could put another in its place.
	spine map[fileID]bool
}

// protect holds the paths beneath dir. Each must exist, and no link may be on the way.
func protect(dir int, paths []string) (_ *protection, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	p := &protection{spine: map[fileID]bool{}}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	for _, path := range paths {
		for end := 0; end < len(path); {
			if next := strings.IndexByte(path[end+1:], '/'); next >= 0 {
				end += 1 + next
			} else {
				end = len(path)
			}
			if err := p.hold(dir, path[:end], end == len(path)); err != nil {
				return nil, fmt.Errorf("%.200q: %w", path, err)
			}
		}
	}
	return p, nil
}

// hold adds one path to the spine, and to what is protected if it is last.
func (p *protection) hold(dir int, path string, last bool) error {
	fd, e := openHow(dir, path, unix.O_PATH|unix.O_NOFOLLOW, 0, beneath|unix.RESOLVE_NO_SYMLINKS)
	if e != Success {
		return errors.New(e.String())
	}
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		err = errors.New("a link")
	}
	if err != nil || !last {
		unix.Close(fd)
	} else {
		p.fds = append(p.fds, fd)
	}
	p.spine[fileID{st.Dev, st.Ino}] = true
	return err
}

func (p *protection) close() {
	if p != nil {
		for _, fd := range p.fds {
			unix.Close(fd)
		}
		p.fds = nil
	}
}

// refuses answers ROFS for a descriptor of something protected. What cannot be told
// where it lies is refused too, with the kernel's reason.
func (p *protection) refuses(fd int) Errno {
	if p == nil {
		return Success
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return errnoOf(err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR && p.spine[fileID{st.Dev, st.Ino}] {
		return ROFS // by whatever name
	}
	where, e := location(fd)
	if e != Success {
		return e
	}
	for _, kept := range p.fds {
		top, e := location(kept)
		switch {
		case e != Success:
			return e
		case where == top, strings.HasPrefix(where, top+"/"):
			return ROFS
		}
	}
	return Success
}

// refusesPlace is refuses for a name that is to be made, removed or moved.
func (p *protection) refusesPlace(at place) Errno {
	if p == nil {
		return Success
	}
	if e := p.refuses(at.dir); e != Success {
		return e
	}
	var st unix.Stat_t
	if at.stat(&st) == Success && p.spine[fileID{st.Dev, st.Ino}] {
		return ROFS
	}
	return Success
}

// location is the kernel's own path of an open thing: never opened, only compared. A
// guest cannot forge it, since a name holds no slash.
func location(fd int) (string, Errno) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	if err != nil {
		return "", errnoOf(err)
	}
	if n == len(buf) {
		return "", NameTooLong
	}
	return string(buf[:n]), Success
}

// create makes a file in a preopen that is protected in part. It does not go through a
// link at the last name, which could lead to what is protected.
func (f *file) create(path string, flags int) (int, Errno) {
	p, e := f.place(path)
	if e != Success {
		return -1, e
	}
	defer p.close()
	if p.slash {
		return -1, IsDir
	}
	if e := f.root.protected.refusesPlace(p); e != Success {
		return -1, e
	}
	fd, e := openBeneath(p.dir, p.name, flags|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, fileMode)
	if e == Exist {
		return -1, Loop // there is nothing where the link leads
	}
	return fd, e
}
