package retention

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
)

// usage is what something takes on the disk, and when the latest of it was changed.
type usage struct {
	bytes  int64
	newest time.Time
}

func (u *usage) add(stat unix.Stat_t) {
	u.bytes += stat.Blocks * 512 // the unit of st_blocks, whatever the file system's own (stat(2))
	if at := time.Unix(stat.Mtim.Unix()); at.After(u.newest) {
		u.newest = at
	}
}

func (u *usage) join(o usage) {
	u.bytes += o.bytes
	if o.newest.After(u.newest) {
		u.newest = o.newest
	}
}

// measure adds up rel beneath dir and everything in it. Links are counted, never followed; what is gone or lies too deep for a path is
// passed over: a work folder may hold whatever its capsule liked.
func measure(ctx context.Context, dir *beneath.Dir, rel string) (usage, error) {
	var u usage
	parent, name := path.Split(rel)
	waiting := []string{rel}
	top := dir
	if parent != "" {
		held, err := dir.Sub(path.Clean(parent))
		if err != nil {
			return u, ignore(err)
		}
		defer func() { _ = held.Close() }()
		top, waiting[0] = held, name
	}
	folder, err := u.entry(top, name)
	if err != nil || !folder {
		return u, ignore(err)
	}
	for len(waiting) > 0 {
		if err := ctx.Err(); err != nil {
			return u, err
		}
		next := waiting[len(waiting)-1]
		folders, err := u.folder(top, next)
		if err := ignore(err); err != nil {
			return u, err
		}
		waiting = append(waiting[:len(waiting)-1], folders...)
	}
	return u, nil
}

// folder adds up what lies in one folder and returns the folders among it.
func (u *usage) folder(top *beneath.Dir, rel string) (folders []string, err error) {
	held, err := top.Sub(rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = held.Close() }()
	names, err := held.Names()
	for _, name := range names {
		folder, err := u.entry(held, name)
		if err := ignore(err); err != nil {
			return folders, err
		}
		if folder {
			folders = append(folders, path.Join(rel, name))
		}
	}
	return folders, err
}

func (u *usage) entry(dir *beneath.Dir, name string) (folder bool, err error) {
	var stat unix.Stat_t
	if err := unix.Fstatat(dir.FD(), name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return false, err
	}
	u.add(stat)
	return stat.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// ignore drops what a tree that changes, or that a capsule made, may cause.
func ignore(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENAMETOOLONG) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, beneath.ErrLink) {
		return nil
	}
	return err
}
