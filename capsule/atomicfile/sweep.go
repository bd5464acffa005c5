package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Sweep removes the temporary files that a killed writer left in the folder that
// dirfd has open for reading, and returns how many. The caller knows that no
// writer of this folder lives. Folders beneath it are not visited.
func Sweep(dirfd int) (int, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(dirfd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return 0, fmt.Errorf("sweep temporary files: %w", err)
	}
	folder := os.NewFile(uintptr(fd), ".")
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return 0, fmt.Errorf("sweep temporary files: %w", err)
	}
	removed := 0
	var failed []error
	for _, name := range names {
		if !strings.HasPrefix(name, TempPrefix) {
			continue
		}
		if err := unix.Unlinkat(dirfd, name, 0); err != nil {
			failed = append(failed, fmt.Errorf("remove %s: %w", name, err))
			continue
		}
		removed++
	}
	return removed, errors.Join(failed...)
}
