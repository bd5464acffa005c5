package sandbox

import (
	"context"
	"fmt"
	"io"
	"slices"

	"rookery/worker/wasi"
)

// Guests resolve relative paths against "/", where their language's runtime believes
// to be: Go's finds no other preopen for them. So "." is "/".
const (
	workName    = "/"
	runtimeName = "/murmur-runtime"
)

// config is the task's world: descriptor 3 is the work folder, 4 the runtime's, then
// the mounts.
func (r *run) config() (wasi.Config, error) {
	t := &r.task
	c := wasi.Config{
		Args: t.Args, Env: t.Env, Stdin: t.Stdin, Ctx: r.ctx,
		Stdout: r.output("stdout", t.Stdout), Stderr: r.output("stderr", t.Stderr),
	}
	if t.Refused != nil {
		c.Refused = func(op, path string, code wasi.Errno) { t.Refused(op, path, code.String()) }
	}
	if t.Work >= 0 {
		work := wasi.Preopen{FD: t.Work, Name: workName, Protected: t.ReadOnly}
		if slices.Contains(t.ReadOnly, ".") {
			work.ReadOnly, work.Protected = true, nil
		}
		if t.WorkBytes > 0 || t.WorkNames > 0 {
			work.Quota = wasi.NewQuota(clamp(t.WorkBytes), clamp(t.WorkNames))
			if err := work.Quota.Measure(r.ctx, t.Work); err != nil {
				return wasi.Config{}, fmt.Errorf("the work folder cannot be measured: %w", err)
			}
		}
		c.Preopens = append(c.Preopens, work)
	}
	if t.Runtime >= 0 {
		c.Preopens = append(c.Preopens, wasi.Preopen{FD: t.Runtime, Name: runtimeName, ReadOnly: true})
	}
	for _, m := range t.Mounts {
		c.Preopens = append(c.Preopens, wasi.Preopen{FD: m.FD, Name: "/" + m.Name, ReadOnly: m.ReadOnly})
	}
	return c, nil
}

// output bounds one of the guest's outputs.
func (r *run) output(name string, w io.Writer) io.Writer {
	if w == nil {
		w = io.Discard
	}
	return &metered{w: w, left: MaxOutput, over: func() { r.stop(limitError(fmt.Sprintf("output limit (%s %s)", name, size(MaxOutput)))) }}
}

// metered ends the task when it has taken all that it may.
type metered struct {
	w    io.Writer
	left int
	over func()
}

func (m *metered) Write(p []byte) (int, error) {
	take := min(len(p), m.left)
	m.left -= take
	if take < len(p) {
		// What is over is lost; the guest is about to be stopped.
		m.over()
	}
	if n, err := m.w.Write(p[:take]); err != nil {
		return n, err
	}
	return len(p), nil
}

// limitError is the cause of a task's context that a limit has ended.
type limitError string

func (e limitError) Error() string { return string(e) }

// limited gives the run a context that a limit can end.
func (r *run) limited(ctx context.Context) (end context.CancelFunc) {
	inner, stop := context.WithCancelCause(ctx)
	r.ctx, r.stop = inner, stop
	return func() { stop(nil) }
}
