package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/id"
	"rookery/launcher/compose"
)

// DefaultStartTimeout bounds a start from fork to the first answer. A worker needs 30 ms for it on an idle machine.
const DefaultStartTimeout = 10 * time.Second

// Spec is one session to run.
type Spec struct {
	// SessionID is the session's id, "ses_…".
	SessionID string
	// Capsule is the capsule's name, under which the records lie.
	Capsule string
	// Workdir is the absolute path of the work folder, made when it is missing; "" for one of the session's own.
	Workdir string
	// Scope is the folder beneath the work folder that the capsule sees as its own, relative; "" for all of it.
	Scope string
	// Mounts are folders of the host that the capsule sees beside its own. The worker inherits them in this order, after the
	// descriptors of proto/plugin.
	Mounts []Mount
	// Native is the capsule's native code, its digest verified on this very descriptor. It must be open until Exec has
	// returned; the caller closes it.
	Native *os.File
	// Door is where the session serves, kept from a session before and its owner's to close; nil for one of the session's own. No other
	// worker has it.
	Door *Door
	// Files are the contents of the runtime folder by their names in it.
	Files map[string][]byte
	// StartTimeout bounds the start from Exec to the worker's first answer; 0 means DefaultStartTimeout.
	StartTimeout time.Duration
}

// Mount is one folder of the host in a capsule's sight.
type Mount struct {
	// Host is the folder's absolute path.
	Host string
	// Guest is what the capsule calls it, one segment.
	Guest string
	// ReadOnly refuses the capsule every change in it.
	ReadOnly bool
}

// Prepared is a session of which nothing runs yet. It is for one goroutine. Discard or Exec must follow.
type Prepared struct {
	launcher *Launcher
	spec     Spec
	folders  *compose.Folders
	door     *Door
	logs     logs
	used     bool
}

// Prepare makes the session's folders and logs and opens its door. On an error nothing stays.
func (l *Launcher) Prepare(ctx context.Context, spec Spec) (*Prepared, error) {
	if !id.Session.Valid(spec.SessionID) {
		return nil, fmt.Errorf("prepare a session: %q is not a session id", spec.SessionID)
	}
	if spec.Native == nil {
		return nil, fmt.Errorf("prepare session %s: no native code", spec.SessionID)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("prepare session %s: %w", spec.SessionID, err)
	}
	if spec.StartTimeout == 0 {
		spec.StartTimeout = DefaultStartTimeout
	}
	folders, err := compose.MakeFolders(l.state, spec.SessionID, spec.Capsule, spec.Workdir)
	if err != nil {
		return nil, err
	}
	p := &Prepared{launcher: l, spec: spec, folders: folders}
	if err := p.fill(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare session %s: %w", spec.SessionID, err), p.Discard())
	}
	return p, nil
}

func (p *Prepared) fill(ctx context.Context) (err error) {
	if p.spec.Scope != "" {
		if err := p.folders.Narrow(p.spec.Scope); err != nil {
			return err
		}
	}
	for _, mount := range p.spec.Mounts {
		if err := p.folders.Mount(mount.Host); err != nil {
			return err
		}
	}
	for name, content := range p.spec.Files {
		if err := p.write(name, content); err != nil {
			return fmt.Errorf("runtime folder: %w", err)
		}
	}
	if p.logs, err = openLogs(p.folders.Records); err != nil {
		return err
	}
	if p.door = p.spec.Door; p.door == nil {
		p.door, err = OpenDoor(ctx)
	}
	return err
}

// write is not atomic and not durable: nobody reads the folder before the worker runs, and it ends with the session.
func (p *Prepared) write(name string, content []byte) error {
	file, err := p.folders.Runtime.OpenFile(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// URL is the door's, http://host:port. It stays the session's until CloseDoor.
func (p *Prepared) URL() string { return p.door.URL() }

// RecordsDir is the absolute path of the records folder, for people: it is never opened by that name.
func (p *Prepared) RecordsDir() string {
	return p.launcher.config.State.Records(p.spec.Capsule, p.spec.SessionID)
}

// Workdir is the absolute path of the work folder, for people.
func (p *Prepared) Workdir() string {
	if p.spec.Workdir != "" {
		return p.spec.Workdir
	}
	return p.launcher.config.State.Work(p.spec.SessionID)
}

// RuntimeDir is the absolute path of the runtime folder, for people.
func (p *Prepared) RuntimeDir() string { return p.launcher.config.State.Runtime(p.spec.SessionID) }

// RunHex is the name of the run folder, eight hex digits: what a next supervisor has to remove.
func (p *Prepared) RunHex() string { return p.folders.RunHex }

// Discard undoes Prepare, as if the session had never been thought of. After an Exec it does nothing.
func (p *Prepared) Discard() error {
	if p.used {
		return nil
	}
	p.used = true
	return errors.Join(p.release(), p.folders.Discard())
}

// release closes what an Exec that succeeds hands on to the Worker.
func (p *Prepared) release() error {
	err := p.logs.close()
	if p.door != nil && p.spec.Door == nil {
		p.door.Close()
	}
	return err
}
