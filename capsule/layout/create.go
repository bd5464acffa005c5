package layout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
	"rookery/capsule/beneath"
)

const (
	// Marker is the file by which a state folder is known as ours.
	Marker = "rookery.state"
	// format is the marker's content. A build that lays the folder out differently
	// writes another number.
	format = "rookery state 1\n"
	// maxMarker bounds reading a marker.
	maxMarker = 256
	// private closes a folder to everyone but its owner.
	private = 0o700
)

// folders is what every state folder has, parents first.
var folders = []string{"run", "run/h", "run/w", "modules", "records", "sessions", "trash", "work"}

// Create makes the state folder at root with its fixed folders, all of them mode
// 0700, or checks and completes one that exists. It refuses a root whose path is
// too long for the sockets beneath it, that is not a folder, belongs to another
// user, lies on a network file system, or holds something but was not made by
// Create.
func Create(root string) (State, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return State{}, fmt.Errorf("state folder %s: %w", root, err)
	}
	state := State{Root: absolute}
	if err := state.Check(); err != nil {
		return State{}, err
	}
	if err := os.MkdirAll(absolute, private); err != nil {
		return State{}, fmt.Errorf("state folder %s: %w", absolute, err)
	}
	dir, err := beneath.Open(absolute)
	if err != nil {
		return State{}, fmt.Errorf("state folder %s: %w", absolute, err)
	}
	defer dir.Close()
	for _, step := range []func(*beneath.Dir) error{owned, local, marked, furnish} {
		if err := step(dir); err != nil {
			return State{}, fmt.Errorf("state folder %s: %w", absolute, err)
		}
	}
	return state, nil
}

// owned refuses a folder of another user.
func owned(dir *beneath.Dir) error {
	var stat unix.Stat_t
	if err := unix.Fstat(dir.FD(), &stat); err != nil {
		return err
	}
	if uid := os.Geteuid(); int(stat.Uid) != uid {
		return fmt.Errorf("it belongs to uid %d, this is uid %d", stat.Uid, uid)
	}
	return nil
}

// marked refuses a folder that holds something and was not made by Create, and
// marks a new one.
func marked(dir *beneath.Dir) error {
	text, err := dir.ReadRegular(Marker, maxMarker)
	switch {
	case err == nil && string(text) == format:
		return nil
	case err == nil:
		return fmt.Errorf("its %s says %q, this build reads only %q", Marker, strings.TrimSpace(string(text)), strings.TrimSpace(format))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	found, err := anything(dir)
	if err != nil {
		return err
	}
	if found != "" {
		return fmt.Errorf("it holds %q and no %s, so it was not made by this program", found, Marker)
	}
	return dir.WriteFile(Marker, []byte(format), 0o600)
}

// anything names an entry of the folder, or returns "" when it is empty but for
// what an interrupted Create left.
func anything(dir *beneath.Dir) (string, error) {
	names, err := dir.Names()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, atomicfile.TempPrefix) {
			return name, nil
		}
	}
	return "", nil
}

// furnish makes the fixed folders and closes them, the root included, to others.
// By now the folder is known as ours, so that leftovers may be removed.
func furnish(dir *beneath.Dir) error {
	if err := unix.Fchmod(dir.FD(), private); err != nil {
		return err
	}
	for _, name := range folders {
		if err := dir.MkdirAll(name, private); err != nil {
			return err
		}
		made, err := dir.Sub(name)
		if err != nil {
			return err
		}
		if err := errors.Join(unix.Fchmod(made.FD(), private), made.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := atomicfile.Sweep(dir.FD()); err != nil {
		return err
	}
	return dir.Sync()
}
