package beneath

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
)

// OpenFile opens rel with the flags of open(2); O_CLOEXEC is always added. perm
// counts only with O_CREAT. Opening something that may be a pipe needs
// O_NONBLOCK, or [Dir.ReadRegular].
func (d *Dir) OpenFile(rel string, flags int, perm uint32) (*os.File, error) {
	fd, err := d.open("open", rel, flags, perm)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path.Join(d.Name(), rel)), nil
}

// OpenRegular opens rel for reading and refuses with ErrNotRegular anything but
// a regular file, without ever waiting for a pipe's other end.
func (d *Dir) OpenRegular(rel string) (*os.File, error) {
	fd, err := d.open("open", rel, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "stat", Path: rel, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: rel, Err: ErrNotRegular}
	}
	return os.NewFile(uintptr(fd), path.Join(d.Name(), rel)), nil
}

// ReadRegular reads the whole regular file rel, which must not be larger than
// limit bytes. It returns an error for which errors.Is answers ErrName, ErrLink,
// ErrNotRegular, ErrTooLarge or fs.ErrNotExist, or what reading failed with.
func (d *Dir) ReadRegular(rel string, limit int64) ([]byte, error) {
	file, err := d.OpenRegular(rel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// One byte more than allowed: the size in fstat may be gone by now.
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: rel, Err: err}
	}
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: rel, Err: fmt.Errorf("%w of %d bytes", ErrTooLarge, limit)}
	}
	return data, nil
}

// WriteFile replaces rel atomically and durably, see [atomicfile]. The folder it
// lies in must exist.
func (d *Dir) WriteFile(rel string, data []byte, perm uint32) error {
	return d.inParent("write", rel, func(parent int, name string) error {
		return atomicfile.WriteAt(parent, name, data, perm)
	})
}

// MkdirAll makes the folder rel and those above it that are missing, each with
// mode perm less the umask. Folders that exist keep theirs.
func (d *Dir) MkdirAll(rel string, perm uint32) error {
	if err := check(rel); err != nil {
		return &fs.PathError{Op: "mkdir", Path: rel, Err: err}
	}
	defer runtime.KeepAlive(d)
	at := d.FD()
	for segment := range strings.SplitSeq(rel, "/") {
		next, err := enter(at, segment, perm)
		if at != d.FD() {
			unix.Close(at)
		}
		if err != nil {
			return &fs.PathError{Op: "mkdir", Path: rel, Err: err}
		}
		at = next
	}
	return unix.Close(at)
}

// enter makes the folder name in parent if it is missing, and opens it.
func enter(parent int, name string, perm uint32) (int, error) {
	if err := unix.Mkdirat(parent, name, perm); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return openat2(parent, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
}

// inParent calls act with the folder rel lies in and rel's last segment.
func (d *Dir) inParent(op, rel string, act func(parent int, name string) error) error {
	if err := check(rel); err != nil {
		return &fs.PathError{Op: op, Path: rel, Err: err}
	}
	defer runtime.KeepAlive(d)
	parent, name := d.FD(), rel
	if cut := strings.LastIndexByte(rel, '/'); cut >= 0 {
		fd, err := d.open(op, rel[:cut], unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		parent, name = fd, rel[cut+1:]
	}
	return act(parent, name)
}
