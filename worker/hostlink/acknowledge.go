package hostlink

import (
	"context"
	"sync"
	"time"

	hostv1 "rookery/proto/rookery/host/v1"
)

const (
	// ackTimeout bounds one acknowledgement; it is repeated.
	ackTimeout = 5 * time.Second
	// ackBatch is how many ids one acknowledgement names: what a root may spawn in all.
	ackBatch = 256
)

// acknowledger says to the supervisor what has arrived, apart from the stream, so
// that saying it delays no other outcome.
type acknowledger struct {
	mu      sync.Mutex // guards what follows
	waiting []string
	busy    bool
	wake    chan struct{} // closed when there is something to do
	idle    chan struct{} // closed while nothing is waiting or under way
}

func newAcknowledger() *acknowledger {
	idle := make(chan struct{})
	close(idle)
	return &acknowledger{wake: make(chan struct{}), idle: idle}
}

func (a *acknowledger) add(ids ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 {
		close(a.wake)
		if !a.busy {
			a.idle = make(chan struct{})
		}
	}
	a.waiting = append(a.waiting, ids...)
}

// take waits for ids and returns some of them.
func (a *acknowledger) take(ctx context.Context) []string {
	for {
		a.mu.Lock()
		wake := a.wake
		if len(a.waiting) > 0 {
			batch := a.waiting[:min(len(a.waiting), ackBatch)]
			a.waiting = a.waiting[len(batch):]
			if len(a.waiting) == 0 {
				a.waiting, a.wake = nil, make(chan struct{})
			}
			a.busy = true
			a.mu.Unlock()
			return batch
		}
		a.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		}
	}
}

// done ends what take began.
func (a *acknowledger) done() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.busy = false
	if len(a.waiting) == 0 {
		close(a.idle)
	}
}

// run sends until ctx ends. What could not be said is said again.
func (a *acknowledger) run(ctx context.Context, send func(context.Context, []string) error) {
	var between pause
	for {
		batch := a.take(ctx)
		if batch == nil {
			return
		}
		err := send(ctx, batch)
		if err != nil {
			a.add(batch...)
		}
		a.done()
		if err == nil {
			between.reset()
		} else if between.wait(ctx) != nil {
			return
		}
	}
}

// drain waits until everything is said, or for ctx, or until run has been told to end.
func (a *acknowledger) drain(ctx context.Context, ended <-chan struct{}) {
	a.mu.Lock()
	idle := a.idle
	a.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-ended:
	case <-idle:
	}
}

func (l *Link) acknowledge(ctx context.Context, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, ackTimeout)
	defer cancel()
	_, err := l.client.Acknowledge(ctx, &hostv1.AcknowledgeRequest{DelegationIds: ids})
	return err
}
