package catalog

import (
	"context"
	"sync"
)

// flights lets one caller work for all who ask for the same key.
type flights struct {
	mu  sync.Mutex
	now map[string]*flight
}

type flight struct {
	done chan struct{}
	// What follows is set before done is closed.
	err       error
	abandoned bool
}

// do runs work, or waits for the one that runs and returns its error. A flight
// that was given up because its own caller's context ended counts for nobody
// else: the next caller runs the work again.
func (f *flights) do(ctx context.Context, key string, work func() error) error {
	for {
		flown, leads := f.join(key)
		if leads {
			return f.fly(ctx, key, flown, work)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-flown.done:
		}
		if flown.err == nil || !flown.abandoned {
			return flown.err
		}
	}
}

func (f *flights) join(key string) (flown *flight, leads bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if running, ok := f.now[key]; ok {
		return running, false
	}
	if f.now == nil {
		f.now = map[string]*flight{}
	}
	f.now[key] = &flight{done: make(chan struct{})}
	return f.now[key], true
}

func (f *flights) fly(ctx context.Context, key string, flown *flight, work func() error) error {
	defer func() {
		flown.abandoned = ctx.Err() != nil
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.now, key)
		close(flown.done)
	}()
	flown.err = work()
	return flown.err
}
