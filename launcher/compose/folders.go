package compose

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
)

// private closes a folder to everyone but its owner.
const private = 0o700

// Folders are a session's folders, held. They are not safe for concurrent use; the held Dirs are.
type Folders struct {
	// Work is what the guest sees as ".": the work folder, or what Narrow left of it.
	Work *beneath.Dir
	// Runtime is what the guest sees as murmur-runtime/.
	Runtime *beneath.Dir
	// Records is where the worker writes and the guest cannot reach.
	Records *beneath.Dir
	// Run is where the worker's socket lies.
	Run *beneath.Dir
	// Mounts are folders of the host that the guest sees too, in the order of their Mount calls.
	Mounts []*beneath.Dir
	// RunHex is the run folder's name, eight hex digits.
	RunHex string

	state   *beneath.Dir
	session string
	records string // relative to state, as are the two below
	run     string
	work    string         // "" when the work folder is not ours to remove
	wide    []*beneath.Dir // what Work stood for before it was narrowed
	closed  bool
}

// MakeFolders makes and holds the folders of a session. workdir is the absolute path of a work folder of the operator's choice,
// made when it is missing; "" gives the session one of its own. root is the state folder; it must stay open as long as the
// Folders. On an error nothing stays.
func MakeFolders(root *beneath.Dir, session, capsule, workdir string) (_ *Folders, err error) {
	state := layout.State{Root: root.Name()}
	f := &Folders{state: root, session: session}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("folders of session %s: %w", session, err), f.Discard())
		}
	}()
	if f.records, err = f.relative(state.Records(capsule, session)); err != nil {
		return nil, err
	}
	if f.Records, err = f.make(f.records); err != nil {
		return nil, err
	}
	runtime, err := f.relative(state.Runtime(session))
	if err != nil {
		return nil, err
	}
	if f.Runtime, err = f.make(runtime); err != nil {
		return nil, err
	}
	if err = f.makeWork(state, workdir); err != nil {
		return nil, err
	}
	return f, f.makeRun(state)
}

func (f *Folders) makeWork(state layout.State, workdir string) (err error) {
	if workdir == "" {
		if f.work, err = f.relative(state.Work(f.session)); err != nil {
			return err
		}
		f.Work, err = f.make(f.work)
		return err
	}
	if !filepath.IsAbs(workdir) {
		return fmt.Errorf("work folder %s is not an absolute path", workdir)
	}
	// The operator's own path: links in it are meant.
	if err := os.MkdirAll(workdir, private); err != nil {
		return err
	}
	f.Work, err = beneath.Open(workdir)
	return err
}

// makeRun makes a run folder that nobody has. Its name is random and short: ids are too long for the path of a socket.
func (f *Folders) makeRun(state layout.State) error {
	const tries = 16 // of four billion names; more collisions than that are something else
	for range tries {
		var name [4]byte
		_, _ = rand.Read(name[:]) // never fails: crypto/rand ends the process instead
		f.RunHex = hex.EncodeToString(name[:])
		run, err := f.relative(state.WorkerRun(f.RunHex))
		if err != nil {
			return err
		}
		parent, err := f.state.Sub(path.Dir(run))
		if err != nil {
			return err
		}
		err = errors.Join(unix.Mkdirat(parent.FD(), path.Base(run), private), parent.Close())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("run folder: %w", err)
		}
		f.run = run
		f.Run, err = f.state.Sub(run)
		return err
	}
	return errors.New("run folder: no free name found")
}

func (f *Folders) make(rel string) (*beneath.Dir, error) {
	if err := f.state.MkdirAll(rel, private); err != nil {
		return nil, err
	}
	return f.state.Sub(rel)
}

func (f *Folders) relative(absolute string) (string, error) {
	return filepath.Rel(f.state.Name(), absolute)
}

// Sync makes the records folder itself durable, so that a record in it is not lost with the folder's name.
func (f *Folders) Sync() error {
	for folder := path.Dir(f.records); folder != "."; folder = path.Dir(folder) {
		held, err := f.state.Sub(folder)
		if err != nil {
			return err
		}
		if err := errors.Join(held.Sync(), held.Close()); err != nil {
			return err
		}
	}
	return nil
}

// End closes the folders and removes what must not outlive the session: the run folder with its socket, and the runtime
// folder. It may be called again.
func (f *Folders) End() error {
	f.close()
	var failed []error
	if f.run != "" {
		failed = append(failed, f.state.RemoveAll(f.run))
	}
	session, err := f.relative(layout.State{Root: f.state.Name()}.Sessions(f.session))
	return errors.Join(append(failed, err, f.state.RemoveAll(session))...)
}

// Discard is End for a session that never began: the records and a work folder made for it go too. What stands above them
// stays: another session may be about to use it.
func (f *Folders) Discard() error {
	failed := []error{f.End(), f.state.RemoveAll(f.records)}
	if f.work != "" {
		failed = append(failed, f.state.RemoveAll(f.work))
	}
	return errors.Join(failed...)
}

func (f *Folders) close() {
	if f.closed {
		return
	}
	f.closed = true
	held := append([]*beneath.Dir{f.Work, f.Runtime, f.Records, f.Run}, f.wide...)
	for _, dir := range append(held, f.Mounts...) {
		if dir != nil {
			dir.Close()
		}
	}
}
