package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
)

// listen opens a unix socket at path for this user only. What an earlier supervisor left there is removed, but only if it is a
// socket: the state folder's lock is held, so nobody serves it.
func listen(path string) (*net.UnixListener, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("socket %s: %w", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("socket %s: something that is not a socket is in its place", path)
	default:
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("socket %s: %w", path, err)
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("socket %s: %w", path, err)
	}
	// The folder is 0700 already; the mode says the same to whoever lists it.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("socket %s: %w", path, err), l.Close())
	}
	return l, nil
}
