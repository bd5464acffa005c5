package launcher

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/failpoint"
	"rookery/launcher/compose"
	"rookery/launcher/proc"
	"rookery/launcher/runner"
)

// workerFiles bounds a worker's descriptors: 1,024 of its guest, as many for connections, and room.
const workerFiles = 4096

// Exec starts the session's process. It runs nothing until OpenGate: it waits for one byte, and leaves when the supervisor
// dies first. The error may be told to a capsule. On an error the process, if there was one, is gone, and of what Prepare made
// only the records folder and the work folder stay.
func (p *Prepared) Exec(ctx context.Context) (*Worker, error) {
	if p.used {
		return nil, errors.New("exec: the session was discarded or started before")
	}
	p.used = true
	w, err := p.exec(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot run the worker program: %w", err), p.release(), p.folders.End())
	}
	return w, nil
}

func (p *Prepared) exec(ctx context.Context) (*Worker, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in, out, err := p.pipes()
	if err != nil {
		return nil, err
	}
	defer in.close()
	env := append(compose.WorkerEnv(p.folders.Run.Name()), failpoint.Inherit(p.spec.Capsule)...)
	process, err := p.start(env, in)
	if err != nil {
		return nil, errors.Join(err, out.close())
	}
	// The child is loading meanwhile; both must be done before the gate opens.
	if err := errors.Join(limit(process), p.folders.Sync(), p.logs.handedOver()); err != nil {
		return nil, errors.Join(err, process.KillGroup(), waitFor(process.Done()), out.close())
	}
	pid := process.Identity().PID
	w := &Worker{
		launcher: p.launcher,
		spec:     p.spec,
		process:  process,
		folders:  p.folders,
		logs:     p.logs,
		door:     p.door,
		gate:     out.gate,
		startBy:  time.Now().Add(p.spec.StartTimeout),
		done:     make(chan struct{}),
		log: p.launcher.config.Log.With().
			Str("session", p.spec.SessionID).Str("capsule", p.spec.Capsule).Int("pid", pid).Logger(),
	}
	w.plugin = runner.New(runner.Config{
		Handle: process, Stdout: out.stdout, Env: env, Run: p.folders.Run.Name(), Log: w.log,
	})
	p.launcher.add(w)
	go w.watch()
	return w, nil
}

// limit bounds the process. One that has ended already is not at fault here: its exit says more.
func limit(process *proc.Handle) error {
	err := errors.Join(process.Limit(unix.RLIMIT_CORE, 0), process.Limit(unix.RLIMIT_NOFILE, workerFiles))
	if errors.Is(err, proc.ErrGone) {
		return nil
	}
	return err
}

// theirs are ends of pipes that the worker inherits, ours their other ends.
type (
	theirs struct{ null, gate, stdout *os.File }
	ours   struct{ gate, stdout *os.File }
)

func (t *theirs) close() error { return closeAll(&t.null, &t.gate, &t.stdout) }

func (o *ours) close() error { return closeAll(&o.gate, &o.stdout) }

func (p *Prepared) pipes() (in theirs, out ours, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close(), out.close())
		}
	}()
	if in.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return in, out, err
	}
	if in.gate, out.gate, err = os.Pipe(); err != nil {
		return in, out, err
	}
	out.stdout, in.stdout, err = os.Pipe()
	return in, out, err
}

// start runs the worker program with the descriptors of proto/plugin, in that package's order.
func (p *Prepared) start(env []string, in theirs) (*proc.Handle, error) {
	door, err := descriptor(p.door.listener)
	if err != nil {
		return nil, err
	}
	files := []uintptr{
		in.null.Fd(),
		in.stdout.Fd(),
		p.logs.forWorker.Fd(),
		in.gate.Fd(),
		door,
		uintptr(p.folders.Work.FD()),
		uintptr(p.folders.Runtime.FD()),
		uintptr(p.folders.Records.FD()),
		uintptr(p.folders.Run.FD()),
		uintptr(p.launcher.host.FD()),
		p.spec.Native.Fd(),
		p.logs.forStdout.Fd(),
		p.logs.forStderr.Fd(),
	}
	for _, mount := range p.folders.Mounts {
		files = append(files, uintptr(mount.FD()))
	}
	path := p.launcher.config.WorkerPath
	process, err := proc.Start(proc.Command{Path: path, Args: []string{filepath.Base(path)}, Env: env, Files: files})
	// Until here their numbers must not become somebody else's.
	runtime.KeepAlive(p)
	runtime.KeepAlive(in)
	return process, err
}

// descriptor is the number of the listener's socket. File would copy it, and Fd of the copy would make both blocking.
func descriptor(listener *net.TCPListener) (fd uintptr, err error) {
	raw, err := listener.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("door: %w", err)
	}
	if err := raw.Control(func(number uintptr) { fd = number }); err != nil {
		return 0, fmt.Errorf("door: %w", err)
	}
	return fd, nil
}
