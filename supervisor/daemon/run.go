package daemon

import (
	"context"
	"fmt"

	"rookery/capsule/outcome"
	"rookery/supervisor/roots"
)

// run tells each root's end and stays until there is a reason to stop: every root has ended and Once is set, a stop was asked for, or a
// service failed. It returns when every tree has ended, and whether every root ended ok.
func (h *host) run(ctx context.Context) (ok bool, err error) {
	watch, cancel := context.WithCancel(ctx)
	ends := h.ends(watch)
	defer func() {
		cancel()
		for range ends { // until the goroutine that sends has ended
		}
	}()
	ok = true
	open := ends
	var drain draining
	for {
		select {
		case r, more := <-open:
			if !more {
				open = nil
				break
			}
			ok = ok && r.Status == outcome.OK
			h.o.Ended(r)
		case <-h.o.Stop:
			drain.ask(ctx, h)
		case failure := <-h.served:
			h.serving--
			err = fmt.Errorf("a service stopped by itself: %w", failure)
			drain.ask(ctx, h)
		case failure := <-drain.done:
			drain.done, drain.over = nil, true
			if err == nil {
				err = failure
			}
			if failure != nil {
				return false, err // what did not end will not be told
			}
		}
		if open == nil && (drain.over || h.o.Once && !drain.asked) {
			return ok, err
		}
	}
}

// ends sends each root's end for good in the order of the fleet, and is closed after the last or with ctx.
func (h *host) ends(ctx context.Context) <-chan roots.Result {
	out := make(chan roots.Result)
	go func() {
		defer close(out)
		for i := range h.set.Len() {
			result, err := h.set.Wait(ctx, i)
			if err != nil {
				return
			}
			select {
			case out <- result:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// draining is the ending of every tree.
type draining struct {
	asked, over bool
	kill        context.CancelFunc
	done        chan error
}

// ask starts the drain; asked again, it cuts the budget short.
func (d *draining) ask(ctx context.Context, h *host) {
	if d.asked {
		h.log.Warn().Msg("asked to stop again: killing what is left")
		d.kill()
		return
	}
	h.tellStopping()
	h.set.Stop()
	h.log.Info().Dur("budget", h.o.StopTimeout).Msg("stopping: no new work, ending every tree")
	ctx, d.kill = context.WithCancel(ctx)
	d.asked, d.done = true, make(chan error, 1)
	go func() { d.done <- h.tree.Drain(ctx, h.o.StopTimeout) }()
}
