package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"rookery/worker/sandbox/shim/wasisuite"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: wasisuite DIR")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wasisuite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, out io.Writer) error {
	runner, err := wasisuite.New()
	if err != nil {
		return err
	}
	defer runner.Close()

	passed, failed, begun := 0, 0, time.Now()
	err = runner.Run(ctx, dir, func(r wasisuite.Result) {
		if r.Err == nil {
			passed++
			return
		}
		failed++
		_, _ = fmt.Fprintf(out, "FAIL %s: %v\n", r.Path, r.Err)
	})
	_, _ = fmt.Fprintf(out, "%d passed, %d failed in %.1f s\n", passed, failed, time.Since(begun).Seconds())
	if err == nil && failed > 0 {
		err = fmt.Errorf("%s: %d of %d programs failed", dir, failed, passed+failed)
	}
	return err
}
