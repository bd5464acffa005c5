package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

const (
	// redrawEvery is how often ages move on.
	redrawEvery = time.Second
	// settle is how long changes are gathered before the tree is drawn anew: ten times a second is as much as a person sees.
	settle = 100 * time.Millisecond
)

// liveTree redraws the tree on a terminal until the host stops.
func liveTree(ctx context.Context, env *Env, op operatorv1.OperatorServiceClient, ended bool) error {
	ctx, cancel := context.WithCancel(ctx)
	changed, over, done := make(chan struct{}, 1), make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		over <- watch(ctx, op, &operatorv1.WatchEventsRequest{}, func(*operatorv1.WatchEventsResponse) error {
			select {
			case changed <- struct{}{}:
			default: // a redraw is due already
			}
			return nil
		})
	}()
	defer func() { cancel(); <-done }()
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		if err := redraw(ctx, env, op, ended); err != nil {
			select {
			case end := <-over: // the host has stopped meanwhile
				return end
			case <-time.After(settle):
				return err
			}
		}
		select {
		case <-tick.C:
		case <-changed:
			select {
			case <-time.After(settle):
			case err := <-over:
				return err
			}
		case err := <-over:
			return err
		}
	}
}

// redraw writes the tree over what is on the terminal, in one piece so that nothing flickers.
func redraw(ctx context.Context, env *Env, op operatorv1.OperatorServiceClient, ended bool) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	sessions, err := allSessions(ctx, op, ended)
	if err != nil {
		return err
	}
	var tree bytes.Buffer
	if err := printTree(&tree, sessions, time.Now()); err != nil {
		return err
	}
	columns, rows := 0, 0
	if env.Size != nil {
		columns, rows = env.Size()
	}
	_, err = fmt.Fprint(env.Stdout, screen(strings.Split(strings.TrimSuffix(tree.String(), "\n"), "\n"), columns, rows))
	return err
}

// screen is the lines fitted to a terminal of so many columns and rows (0: as many as it takes), with what draws them over the old ones:
// go home, clear to the end of each line, clear what is below.
func screen(lines []string, columns, rows int) string {
	if rows > 1 && len(lines) > rows-1 {
		lines = append(lines[:rows-2:rows-2], fmt.Sprintf("… and %d more", len(lines)-(rows-2)))
	}
	var b strings.Builder
	b.WriteString("\x1b[H")
	for _, line := range lines {
		b.WriteString(fit(line, columns))
		b.WriteString("\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	return b.String()
}

func fit(line string, columns int) string {
	if columns <= 0 || utf8.RuneCountInString(line) <= columns {
		return line
	}
	return string([]rune(line)[:columns-1]) + "…"
}

// plainTree prints the tree once, and then a line for each change.
func plainTree(ctx context.Context, env *Env, op operatorv1.OperatorServiceClient, ended bool) error {
	p := &eventPrinter{out: env.Stdout}
	begun := false
	q := &operatorv1.WatchEventsRequest{Kinds: []operatorv1.EventKind{
		operatorv1.EventKind_EVENT_KIND_SESSION, operatorv1.EventKind_EVENT_KIND_OUTCOME, operatorv1.EventKind_EVENT_KIND_HOST,
	}}
	return watch(ctx, op, q, func(answer *operatorv1.WatchEventsResponse) error {
		if _, now := answer.GetWhat().(*operatorv1.WatchEventsResponse_CaughtUp); now {
			begun = true
			bounded, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			sessions, err := allSessions(bounded, op, ended)
			return errors.Join(err, printTree(env.Stdout, sessions, time.Now()))
		}
		if !begun {
			return nil // the tree shows what came of it
		}
		return p.add(answer)
	})
}
