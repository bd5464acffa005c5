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
	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
)

// minSize is two pages of the smallest size that bbolt maps: it writes four at
// once when it makes a file, so a shorter one was cut.
const minSize = 2 * 4096

// openOrReplace opens the file for writing, after a look through all of it. A
// damaged one is renamed and a new one made.
func openOrReplace(path string, lockTimeout time.Duration) (*bolt.DB, string, error) {
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
	}
	db, err := guarded(path, lockTimeout)
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

// guarded opens the file, looks through it and returns it. Nothing is written
// unless it is empty. bbolt is let near it only when its pages are proven; what
// makes it panic or read outside the mapping all the same (a disk that fails under
// the mapping) becomes ErrDamaged.
func guarded(path string, lockTimeout time.Duration) (db *bolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var file *os.File
	defer func() {
		if cause := recover(); cause != nil {
			// Only the lock is given back. The transaction that panicked still holds its
			// locks inside db, so db.Close would wait for ever.
			db, err = nil, errors.Join(fmt.Errorf("%w: %v", ErrDamaged, cause), file.Close())
		}
	}()
	// The list of free pages is rebuilt at each start instead of kept: a damaged one
	// would have live pages overwritten, and nothing in the file would show it.
	options := bolt.Options{FreelistType: bolt.FreelistMapType, NoFreelistSync: true}
	options.OpenFile = func(name string, flag int, perm os.FileMode) (*os.File, error) {
		var err error
		if file, err = os.OpenFile(name, flag|unix.O_NOFOLLOW, perm); err != nil {
			return nil, err
		}
		if err := prove(file, lockTimeout); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return file, nil
	}
	if db, err = bolt.Open(path, 0o600, &options); err != nil {
		return nil, err
	}
	if err := db.View(inspect); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prove takes the lock and checks the pages. bbolt then locks the same description
// and has it at once, so nobody writes between this look and its own.
func prove(file *os.File, lockTimeout time.Duration) error {
	if err := takeWithin(file, lockTimeout); err != nil {
		return err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case info.Size() == 0:
		return nil
	case info.Size() < minSize:
		return damage("cut to %d bytes", info.Size())
	}
	return checkPages(file, info.Size())
}

// inspect verifies every row.
func inspect(tx *bolt.Tx) error {
	all := Snapshot{tx: tx}
	return tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
		return all.Each(string(name), func(string, []byte) error { return nil })
	})
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
