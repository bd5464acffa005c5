package launcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/launcher/crash"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// errLate is the cause of a start that took longer than its bound.
var errLate = errors.New("the start took too long")

// Connect reads the worker's handshake and asks it for its first answer, which must come before the session's start timeout
// has passed since Exec. It may be called once, after OpenGate.
//
// On an error the process has been ended and reaped (or ErrStuck is wrapped). The error says why in words that may be told to
// a capsule: "never spoke within 10s", "spoke garbage: …", "exited before the handshake: exit status 9", "refused by peer
// check: …". An end of ctx is wrapped.
func (w *Worker) Connect(ctx context.Context) (*workerv1.HelloResponse, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, w.startBy, errLate)
	defer cancel()
	hello, stage, err := w.hello(ctx)
	if err == nil {
		return hello, nil
	}
	abandoned := context.Cause(ctx)
	own := w.leave(ctx)
	if code := status.Code(err); stage == greeting && (code == codes.Canceled || code == codes.DeadlineExceeded) {
		// The worker was told the deadline: its own end of the call may come before ours.
		abandoned = context.Cause(ctx)
	}
	if err := w.kill(); err != nil {
		return nil, fmt.Errorf("failed to start: %w", err)
	}
	return nil, w.explain(stage, err, abandoned, own)
}

// stage is how far a start has come.
type stage int

const (
	handshaking stage = iota
	greeting
)

func (w *Worker) hello(ctx context.Context) (*workerv1.HelloResponse, stage, error) {
	service, err := w.plugin.Connect(ctx)
	if err != nil {
		return nil, handshaking, err
	}
	hello, err := service.Hello(ctx, &workerv1.HelloRequest{Protocol: plugin.Protocol})
	if err != nil {
		return nil, greeting, err
	}
	if hello.GetProtocol() != plugin.Protocol {
		return nil, greeting, fmt.Errorf("it speaks protocol %d, this build speaks %d", hello.GetProtocol(), plugin.Protocol)
	}
	if pid := w.Identity().PID; int(hello.GetPid()) != pid {
		return nil, greeting, fmt.Errorf("it says it is pid %d, it is pid %d", hello.GetPid(), pid)
	}
	w.mu.Lock()
	w.service = service
	w.mu.Unlock()
	return hello, greeting, nil
}

// leaving is how long a worker that said something wrong, or nothing any more, may take to end by itself, so that its own exit
// status is the one reported. A worker takes about 4 ms to die.
const leaving = 250 * time.Millisecond

// leave gives a process whose start has failed the time to end by itself, and reports whether it did. One that is late has had
// its time.
func (w *Worker) leave(ctx context.Context) bool {
	if ctx.Err() != nil {
		return w.process.Fired()
	}
	wait := time.NewTimer(leaving)
	defer wait.Stop()
	select {
	case <-w.done:
	case <-ctx.Done():
	case <-wait.C:
	}
	return w.process.Fired()
}

// explain words a failed start. Which failure it was is told by the process's own end and by what it said, not by the text of
// err.
func (w *Worker) explain(at stage, err, abandoned error, own bool) error {
	timeout := w.spec.StartTimeout
	said, _ := w.plugin.Spoken()
	switch {
	case w.plugin.Refused():
		return errors.New("refused by peer check: another process listens on the worker's socket")
	case own && at == handshaking:
		return fmt.Errorf("exited before the handshake: %s", w.last())
	case own:
		return fmt.Errorf("exited before its first answer: %s", w.last())
	case abandoned != nil && !errors.Is(abandoned, errLate):
		return fmt.Errorf("start given up: %w", abandoned)
	case abandoned != nil && at == greeting:
		return fmt.Errorf("gave no first answer within %v", timeout)
	case abandoned != nil && len(said) > 0:
		return fmt.Errorf("never spoke within %v, but for an unfinished line: %.80q", timeout, said)
	case abandoned != nil:
		return fmt.Errorf("never spoke within %v", timeout)
	case at == greeting:
		return fmt.Errorf("gave a wrong first answer: %.200q", status.Convert(err).Message())
	case len(said) == 0:
		return errors.New("closed its output without a word")
	default:
		return fmt.Errorf("spoke garbage: %.80q", said)
	}
}

// last words how the process ended: its exit status and what its log says about it. The guest had not begun.
func (w *Worker) last() string {
	exit := w.Exit()
	said := exit.DumpLine
	if said == "" {
		said = w.lastLine
	}
	return crash.Detail(exit.State, said, nil)
}
