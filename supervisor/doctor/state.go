package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

const elsewhere = "name another folder in state_dir or --state"

// stateFolder checks what can be checked without making it: that it, or else the folder in which it would be made, takes files.
func stateFolder(dir string) *operatorv1.Check {
	if err := (layout.State{Root: dir}).Check(); err != nil {
		return required(missing("state", err.Error(), "name a folder with a shorter path in state_dir or --state"))
	}
	at := nearest(dir)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return required(missing("state", err.Error(), elsewhere))
	case !info.IsDir():
		return required(missing("state", at+" is not a folder", elsewhere))
	}
	if owner, known := info.Sys().(*syscall.Stat_t); known && at == dir && int(owner.Uid) != os.Geteuid() {
		return required(missing("state", fmt.Sprintf("%s belongs to uid %d, this is uid %d", dir, owner.Uid, os.Geteuid()),
			"run as its owner, or "+elsewhere))
	}
	switch err := unix.Faccessat(unix.AT_FDCWD, at, unix.W_OK|unix.X_OK, unix.AT_EACCESS); {
	case errors.Is(err, unix.EROFS):
		return required(missing("state", at+" is on a file system that is mounted read-only", "mount it for writing, or "+elsewhere))
	case err != nil:
		return required(missing("state", fmt.Sprintf("uid %d may not write in %s: %v", os.Geteuid(), at, err),
			fmt.Sprintf("let it (chown or chmod), or make %s for it, or %s", dir, elsewhere)))
	case at != dir:
		return required(good("state", dir+", not made yet"))
	}
	return required(good("state", dir))
}

// nearest is path, or the nearest of its parents that is seen: also one that is no folder, or into which this process may not look.
func nearest(path string) string {
	for path != filepath.Dir(path) {
		if _, err := os.Lstat(path); err == nil {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}
