package beneath

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// maxDepth bounds how many folders RemoveAll holds open at once. A capsule may
// nest folders without end; what lies deeper is first moved up beside the folder
// that is being removed.
const maxDepth = 32

// Remove removes the file, link or empty folder rel.
func (d *Dir) Remove(rel string) error {
	return d.inParent("remove", rel, func(parent int, name string) error {
		if err := unlink(parent, name); err != nil {
			return &fs.PathError{Op: "remove", Path: rel, Err: err}
		}
		return nil
	})
}

// RemoveAll removes rel and everything beneath it. Nothing there is not an
// error. Links are removed, never followed.
func (d *Dir) RemoveAll(rel string) error {
	return d.inParent("remove", rel, func(parent int, name string) error {
		remover := remover{top: parent, waiting: []string{name}}
		for len(remover.waiting) > 0 {
			last := len(remover.waiting) - 1
			next := remover.waiting[last]
			remover.waiting = remover.waiting[:last]
			if err := remover.tree(parent, next, 0); err != nil {
				return &fs.PathError{Op: "remove", Path: rel, Err: err}
			}
		}
		return nil
	})
}

// remover removes the entries of top that wait.
type remover struct {
	top     int
	waiting []string
}

func (r *remover) tree(parent int, name string, depth int) error {
	err := unlink(parent, name)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if depth == maxDepth {
		return r.lift(parent, name)
	}
	fd, err := openat2(parent, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	folder := os.NewFile(uintptr(fd), name)
	defer folder.Close()
	for {
		removed, err := r.entries(folder, depth)
		if err != nil {
			return err
		}
		err = unlink(parent, name)
		if removed == 0 || !errors.Is(err, unix.ENOTEMPTY) {
			return err
		}
		// Some file systems skip names while others are being removed.
		if _, err := folder.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
}

// entries removes what one pass over the folder names, in portions: a folder may
// hold more names than fit in memory.
func (r *remover) entries(folder *os.File, depth int) (int, error) {
	removed := 0
	for {
		names, err := folder.Readdirnames(512)
		for _, entry := range names {
			if err := r.tree(int(folder.Fd()), entry, depth+1); err != nil {
				return removed, err
			}
			removed++
		}
		if errors.Is(err, io.EOF) {
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
	}
}

// lift moves a folder that lies too deep to the top, under a name of ours.
func (r *remover) lift(parent int, name string) error {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	lifted := ".rm-" + hex.EncodeToString(random[:])
	if err := unix.Renameat(parent, name, r.top, lifted); err != nil {
		return err
	}
	r.waiting = append(r.waiting, lifted)
	return nil
}

// unlink removes a file, a link or an empty folder.
func unlink(parent int, name string) error {
	err := unix.Unlinkat(parent, name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		if asFolder := unix.Unlinkat(parent, name, unix.AT_REMOVEDIR); !errors.Is(asFolder, unix.ENOTDIR) {
			return asFolder
		}
	}
	return err
}
