package main

import (
	"context"
	"fmt"
	"os"

	"rookery/proto/plugin"
)

func main() {
	if os.Getenv(plugin.Handshake.MagicCookieKey) != plugin.Handshake.MagicCookieValue {
		fmt.Fprintln(os.Stderr, "worker is started by supervisor, which hands it everything it needs; run `supervisor up` instead")
		os.Exit(plugin.ExitByHand)
	}
	os.Exit(run(context.Background(), os.Args[1:]))
}

// run picks the mode.
func run(ctx context.Context, args []string) int {
	switch {
	case len(args) == 0:
		return serve(ctx)
	case len(args) == 1 && args[0] == "compile":
		return report(compile(ctx))
	case len(args) == 1 && args[0] == "engine-key":
		return report(printKey(os.Stdout))
	default:
		return report(fmt.Errorf("no mode %q", args))
	}
}

// report tells the launcher in one sentence what went wrong.
func report(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker: "+err.Error())
		return 1
	}
	return 0
}
