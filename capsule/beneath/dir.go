package beneath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
)

// Why a name or what it leads to is refused. Callers branch on them.
var (
	// ErrName is returned for a name that is empty or absolute, holds a NUL, or has
	// an empty, "." or ".." segment.
	ErrName = errors.New("not a plain relative path")
	// ErrLink is returned when a symbolic link stands anywhere on the path.
	ErrLink = errors.New("a symbolic link is in the way")
	// ErrNotRegular is returned when a regular file was wanted and something else
	// is there.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is returned when a file is larger than the caller's bound.
	ErrTooLarge = errors.New("larger than the limit")
)

// Dir is a held folder.
type Dir struct {
	file *os.File
}

// Open holds the folder at path. The path is the caller's own, not a stranger's:
// links in it are followed.
func Open(path string) (*Dir, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open folder", Path: path, Err: err}
	}
	return FromFD(fd, path), nil
}

// FromFD takes over fd, a folder open for reading; name is what [Dir.Name]
// answers, usually its absolute path.
func FromFD(fd int, name string) *Dir {
	return &Dir{file: os.NewFile(uintptr(fd), name)}
}

// Name is the folder's path as it was given; it is never used to open anything.
func (d *Dir) Name() string { return d.file.Name() }

// FD is the descriptor, valid until Close. The Dir keeps owning it.
func (d *Dir) FD() int { return int(d.file.Fd()) }

// Close releases the descriptor.
func (d *Dir) Close() error { return d.file.Close() }

// Sync makes the names in the folder durable.
func (d *Dir) Sync() error {
	defer runtime.KeepAlive(d)
	if err := atomicfile.SyncDir(d.FD()); err != nil {
		return &fs.PathError{Op: "sync", Path: ".", Err: err}
	}
	return nil
}

// Sub holds the folder rel beneath this one.
func (d *Dir) Sub(rel string) (*Dir, error) {
	fd, err := d.open("open folder", rel, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return FromFD(fd, path.Join(d.Name(), rel)), nil
}

// Stat describes what rel is. A link is refused with ErrLink.
func (d *Dir) Stat(rel string) (fs.FileInfo, error) {
	fd, err := d.open("stat", rel, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), rel)
	defer file.Close()
	return file.Stat()
}

// Names lists what is in the folder, sorted.
func (d *Dir) Names() ([]string, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.FD(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "list", Path: ".", Err: err}
	}
	folder := os.NewFile(uintptr(fd), ".")
	defer folder.Close()
	defer runtime.KeepAlive(d)
	names, err := folder.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// open resolves rel beneath the folder.
func (d *Dir) open(op, rel string, flags int, perm uint32) (int, error) {
	if err := check(rel); err != nil {
		return -1, &fs.PathError{Op: op, Path: rel, Err: err}
	}
	defer runtime.KeepAlive(d)
	fd, err := openat2(d.FD(), rel, flags, perm)
	if err != nil {
		return -1, &fs.PathError{Op: op, Path: rel, Err: err}
	}
	return fd, nil
}

// check refuses names that could only be meant to leave the folder, or to name
// it, before the kernel sees them.
func check(rel string) error {
	if strings.IndexByte(rel, 0) >= 0 {
		return ErrName
	}
	for segment := range strings.SplitSeq(rel, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return ErrName
		}
	}
	return nil
}

// Supported returns why this kernel cannot be asked to resolve names beneath a
// folder, or nil. Both programs call it at start and stop on an error: there is
// no second, weaker way.
func Supported() error {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, err := retry(func() (int, error) { return unix.Openat2(unix.AT_FDCWD, "/", &how) })
	switch {
	case err == nil:
		return unix.Close(fd)
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("openat2 is missing: Linux 5.6 or newer is needed: %w", err)
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("openat2 is forbidden here, probably by a seccomp profile: %w", err)
	default:
		return fmt.Errorf("openat2: %w", err)
	}
}
