package hostlink

import (
	"context"
	"sync"
	"time"

	hostv1 "rookery/proto/rookery/host/v1"
)

const (
	// tellEvery keeps a guest that tells without end from costing its supervisor more
	// than ten calls a second.
	tellEvery = 100 * time.Millisecond
	// tellTimeout bounds one call; a word that was not heard is not said again.
	tellTimeout = 2 * time.Second
)

// teller says the newest word of progress; the ones before it, if they were not said in
// time, are forgotten.
type teller struct {
	mu   sync.Mutex // guards what follows
	word *hostv1.ProgressRequest
	wake chan struct{} // holds one when there is a word
	busy bool
	idle chan struct{} // closed while nothing is to be said
	last chan struct{} // closed when there is no time to lose
	end  sync.Once     // closes last
}

func newTeller() *teller {
	idle := make(chan struct{})
	close(idle)
	return &teller{wake: make(chan struct{}, 1), idle: idle, last: make(chan struct{})}
}

// Progress has the supervisor told how far the task is, soon and at most once. It
// returns at once; without a supervisor nobody is told.
func (l *Link) Progress(state, message string) {
	t := l.words
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.word == nil && !t.busy {
		t.idle = make(chan struct{})
	}
	t.word = &hostv1.ProgressRequest{State: state, Message: message}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *teller) take() *hostv1.ProgressRequest {
	t.mu.Lock()
	defer t.mu.Unlock()
	word := t.word
	t.word, t.busy = nil, word != nil
	return word
}

func (t *teller) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy = false; t.word == nil {
		close(t.idle)
	}
}

// run says words until ctx ends.
func (t *teller) run(ctx context.Context, say func(context.Context, *hostv1.ProgressRequest) error, failed func(error)) {
	pace := time.NewTicker(tellEvery)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.wake:
		}
		word := t.take()
		if word == nil {
			continue
		}
		if err := say(ctx, word); err != nil {
			failed(err)
		}
		t.done()
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		case <-t.last:
		}
	}
}

// drain waits until the last word is said, which is not kept waiting any more, or for
// ctx, or until run has been told to end.
func (t *teller) drain(ctx context.Context, ended <-chan struct{}) {
	t.end.Do(func() { close(t.last) })
	t.mu.Lock()
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-ended:
	case <-idle:
	}
}

func (l *Link) say(ctx context.Context, word *hostv1.ProgressRequest) error {
	ctx, cancel := context.WithTimeout(ctx, tellTimeout)
	defer cancel()
	_, err := l.client.Progress(ctx, word)
	return err
}
