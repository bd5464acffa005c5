package beneath

import (
	"errors"

	"golang.org/x/sys/unix"
)

// resolve is what makes a lookup safe: nothing above the folder, no magic links
// (/proc/self/fd/…), no symbolic links at all.
const resolve = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS

// maxAgain bounds the retries of a lookup that the kernel gave up because the
// tree was being renamed meanwhile (EAGAIN): a capsule that renames without end
// must get an error, not our time.
const maxAgain = 128

func openat2(dirfd int, rel string, flags int, perm uint32) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags) | unix.O_CLOEXEC, Resolve: resolve}
	if flags&unix.O_CREAT != 0 {
		how.Mode = uint64(perm)
	}
	for again := 0; ; {
		fd, err := unix.Openat2(dirfd, rel, &how)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN) && again < maxAgain:
			again++
			continue
		case errors.Is(err, unix.ELOOP):
			return -1, ErrLink
		}
		return fd, err
	}
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
