package launcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rookery/launcher/proc"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// callTimeout bounds a call to a worker whose context has no nearer end. Both calls answer at once.
const callTimeout = 10 * time.Second

// ErrNotConnected is returned by calls to a worker that Connect has not brought to its first answer.
var ErrNotConnected = errors.New("the worker is not connected")

// Assign hands the worker its session. It returns ErrNotConnected, or the gRPC status the call failed with; the process lives
// on.
func (w *Worker) Assign(ctx context.Context, request *workerv1.AssignRequest) error {
	return w.call(ctx, "assign", func(ctx context.Context, service workerv1.WorkerServiceClient) error {
		_, err := service.Assign(ctx, request)
		return err
	})
}

// End asks the worker to end its session and leave. It answers at once, the process follows; Stop asks and makes sure. Errors
// are Assign's.
func (w *Worker) End(ctx context.Context, request *workerv1.EndRequest) error {
	return w.call(ctx, "end", func(ctx context.Context, service workerv1.WorkerServiceClient) error {
		_, err := service.End(ctx, request)
		return err
	})
}

func (w *Worker) call(ctx context.Context, name string, ask func(context.Context, workerv1.WorkerServiceClient) error) error {
	w.mu.Lock()
	service := w.service
	w.mu.Unlock()
	if service == nil {
		return fmt.Errorf("%s: %w", name, ErrNotConnected)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := ask(ctx, service); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Stop ends the process: it asks, waits for grace, and sends SIGKILL to the process and its group. It returns when the process
// has been reaped, or ErrStuck ten seconds after SIGKILL. Nothing is asked, and SIGKILL is sent at once, when ask is nil, when
// grace is not positive, and when the worker cannot be asked; an end of ctx ends the grace. It may be called at any time, by
// several callers.
func (w *Worker) Stop(ctx context.Context, ask *workerv1.EndRequest, grace time.Duration) error {
	if ask != nil && grace > 0 {
		ctx, cancel := context.WithTimeout(ctx, grace)
		defer cancel()
		if w.End(ctx, ask) == nil {
			select {
			case <-w.done:
				return nil
			case <-ctx.Done():
			}
		}
	}
	return w.kill()
}

func (w *Worker) kill() error {
	if err := w.process.KillGroup(); err != nil && !errors.Is(err, proc.ErrGone) {
		return err
	}
	return waitFor(w.done)
}
