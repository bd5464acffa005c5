package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// TempPrefix begins the name of every temporary sibling. It does not contain the
// file's own name, so that the longest legal name can be written too.
const TempPrefix = ".tmp-"

// Write replaces the file at path with data and mode perm. The folder must
// exist. The path is the caller's own: links above the file are followed. Errors
// are *fs.PathError.
func Write(path string, data []byte, perm fs.FileMode) error {
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	dirfd, err := retry(func() (int, error) {
		return unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: folder, Err: err}
	}
	defer unix.Close(dirfd)
	return WriteAt(dirfd, name, data, uint32(perm.Perm()))
}

// WriteAt is Write for the file called name, one path segment, in the folder
// that dirfd has open for reading. The mode is exactly perm, whatever the umask.
func WriteAt(dirfd int, name string, data []byte, perm uint32) error {
	if err := writeAt(dirfd, name, data, perm); err != nil {
		return &fs.PathError{Op: "write", Path: name, Err: err}
	}
	return nil
}

func writeAt(dirfd int, name string, data []byte, perm uint32) error {
	temp := tempName()
	fd, err := retry(func() (int, error) {
		return unix.Openat(dirfd, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	if err = errors.Join(fill(fd, data, perm), unix.Close(fd)); err == nil {
		err = unix.Renameat(dirfd, temp, dirfd, name)
	}
	if err != nil {
		return errors.Join(err, unix.Unlinkat(dirfd, temp, 0))
	}
	return SyncDir(dirfd)
}

// fill writes data and makes it and the mode durable.
func fill(fd int, data []byte, perm uint32) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	if err := unix.Fchmod(fd, perm); err != nil {
		return err
	}
	return sync(fd)
}

// SyncDir makes the names in the folder that dirfd has open durable.
func SyncDir(dirfd int) error {
	err := sync(dirfd)
	if errors.Is(err, unix.EINVAL) {
		// A file system that has no fsync for folders writes names through.
		return nil
	}
	return err
}

func sync(fd int) error {
	_, err := retry(func() (int, error) { return 0, unix.Fsync(fd) })
	return err
}

// tempName is unique for every writer on the machine, so that two that replace
// one file at once do not meet in the temporary one.
func tempName() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	return TempPrefix + hex.EncodeToString(random[:])
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
