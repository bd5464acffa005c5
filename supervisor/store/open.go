package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
)

// minSize is two pages of the smallest size that bbolt maps: it writes four at
// once when it makes a file, so a shorter one was cut.
const minSize = 2 * 4096

// openOrReplace opens the file for writing, after a look through all of it. A
// damaged one is renamed and a new one made.
func openOrReplace(path string, lockTimeout time.Duration) (*bolt.DB, string, error) {
	lockTimeout = max(lockTimeout, time.Millisecond) // bbolt waits for ever on zero
	db, err := open(path, lockTimeout)
	if !errors.Is(err, ErrDamaged) {
		return db, "", err
	}
	damage := err
	aside, err := setAside(path)
	if err != nil {
		return nil, "", fmt.Errorf("set the damaged file aside: %w", err)
	}
	if db, err = open(path, lockTimeout); err != nil {
		return nil, "", err
	}
	return db, fmt.Sprintf("%s: %v; it was set aside as %s and a new one begun", path, damage, filepath.Base(aside)), nil
}

// open returns ErrDamaged when the file cannot be what a store left.
func open(path string, lockTimeout time.Duration) (*bolt.DB, error) {
	info, err := os.Lstat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case fresh:
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() == 0:
	case info.Size() < minSize:
		return nil, fmt.Errorf("%w: cut to %d bytes", ErrDamaged, info.Size())
	default:
		if err := inspect(path, lockTimeout); err != nil {
			return nil, err
		}
	}
	// The list of free pages is rebuilt at each start instead of kept: a damaged one
	// would have live pages overwritten, and nothing in the file would show it.
	options := bolt.Options{Timeout: lockTimeout, FreelistType: bolt.FreelistMapType, NoFreelistSync: true}
	db, err := guarded(path, &options, nil)
	if err != nil {
		return nil, err
	}
	if fresh {
		if err := syncParent(path); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// inspect reads every row. The file is opened for reading only, so that nothing
// in it is touched before it is known to be whole.
func inspect(path string, lockTimeout time.Duration) error {
	db, err := guarded(path, &bolt.Options{Timeout: lockTimeout, ReadOnly: true}, func(db *bolt.DB) error {
		return db.View(func(tx *bolt.Tx) error {
			// A page behind the end of a mapped file is a fault, not an error.
			if info, err := os.Stat(path); err != nil {
				return err
			} else if info.Size() < tx.Size() {
				return fmt.Errorf("%w: cut to %d of %d bytes", ErrDamaged, info.Size(), tx.Size())
			}
			all := Snapshot{tx: tx}
			return tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
				return all.Each(string(name), func(string, []byte) error { return nil })
			})
		})
	})
	if err != nil {
		return err
	}
	return db.Close()
}

// guarded opens the file and calls look with it. bbolt trusts its pages: on a
// damaged file it panics or reads outside the mapping, and both become ErrDamaged
// here. The file is closed unless nil is returned.
func guarded(path string, options *bolt.Options, look func(*bolt.DB) error) (db *bolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var file *os.File
	options.OpenFile = func(name string, flag int, perm os.FileMode) (*os.File, error) {
		var err error
		file, err = os.OpenFile(name, flag|unix.O_NOFOLLOW, perm)
		return file, err
	}
	defer func() {
		if cause := recover(); cause != nil {
			// Only the lock is given back. The transaction that panicked still holds its
			// locks inside db, so db.Close would wait for ever.
			db, err = nil, errors.Join(fmt.Errorf("%w: %v", ErrDamaged, cause), file.Close())
		}
	}()
	db, err = bolt.Open(path, 0o600, options)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w for longer than %s", ErrLocked, options.Timeout)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrInvalidMapping):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return nil, err
	}
	if look == nil {
		return db, nil
	}
	if err := look(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// setAside renames the file to a name that nothing has yet.
func setAside(path string) (string, error) {
	base := fmt.Sprintf("%s.corrupt-%d", path, time.Now().Unix())
	aside := base
	for n := 2; ; n++ {
		err := unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, aside, unix.RENAME_NOREPLACE)
		if err == nil {
			return aside, syncParent(path)
		}
		if !errors.Is(err, unix.EEXIST) {
			return "", err
		}
		aside = fmt.Sprintf("%s-%d", base, n)
	}
}

func syncParent(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return atomicfile.SyncDir(int(folder.Fd()))
}
