package wasi

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// Measure charges what the folder dir holds already, in place of what was charged
// before. It follows no link and enters no other file system, and holds two
// descriptors however deep the folder is. It fails if ctx ends, if a directory cannot
// be read, or if directories are moved while it looks. To be called while no Host uses
// the quota.
func (q *Quota) Measure(ctx context.Context, dir int) error {
	fd, e := openHow(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0, beneath)
	if e != Success {
		return fmt.Errorf("wasi: measure: %v", e)
	}
	s := survey{quota: q, fd: fd, linked: map[fileID]bool{}}
	defer func() { unix.Close(s.fd) }()
	q.bytes, q.names = 0, 0
	err := s.run(ctx)
	if err != nil {
		return fmt.Errorf("wasi: measure: %w", err)
	}
	return nil
}

// survey walks down by name and up by "..".
type survey struct {
	quota  *Quota
	fd     int
	path   []level
	list   listing
	linked map[fileID]bool // files with several names that are counted already
}

// level is a directory on the way down, and which of its directories are still to do.
type level struct {
	id   fileID
	todo []string
}

func (s *survey) run(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		top := &s.path[len(s.path)-1]
		if n := len(top.todo); n > 0 {
			name := top.todo[n-1]
			top.todo = top.todo[:n-1]
			const resolve = beneath | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV
			fd, e := openHow(s.fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0, resolve)
			switch e {
			case Success:
				s.move(fd)
				if err := s.enter(); err != nil {
					return err
				}
			case NoEnt, NotDir, NotCapable, Loop: // gone, or another file system
			default:
				return fmt.Errorf("a directory cannot be opened: %v", e)
			}
			continue
		}
		s.path = s.path[:len(s.path)-1]
		if len(s.path) == 0 {
			return nil
		}
		if err := s.leave(); err != nil {
			return err
		}
	}
}

func (s *survey) move(fd int) {
	unix.Close(s.fd)
	s.fd = fd
}

// enter counts the directory that was opened.
func (s *survey) enter() error {
	var st unix.Stat_t
	if err := unix.Fstat(s.fd, &st); err != nil {
		return err
	}
	here := level{id: fileID{st.Dev, st.Ino}}
	s.list.off, s.list.n = 0, 0
	for {
		d, more, e := s.list.peek(s.fd)
		if e != Success {
			return fmt.Errorf("a directory cannot be read: %v", e)
		}
		if !more {
			break
		}
		s.list.off += d.size
		name := string(d.name)
		if name == "." || name == ".." {
			continue
		}
		if err := unix.Fstatat(s.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			continue // gone meanwhile
		}
		s.quota.names++
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			here.todo = append(here.todo, name)
		}
		s.weigh(&st)
	}
	s.path = append(s.path, here)
	return nil
}

func (s *survey) weigh(st *unix.Stat_t) {
	if !weighs(st.Mode) {
		return
	}
	if st.Nlink > 1 {
		id := fileID{st.Dev, st.Ino}
		if s.linked[id] {
			return
		}
		s.linked[id] = true
	}
	s.quota.bytes += st.Size
}

// leave goes up again, and makes sure that this is where it came from.
func (s *survey) leave() error {
	fd, err := unix.Openat(s.fd, "..", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	s.move(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if s.path[len(s.path)-1].id != (fileID{st.Dev, st.Ino}) {
		return fmt.Errorf("a directory was moved")
	}
	return nil
}
