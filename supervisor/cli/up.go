package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"rookery/capsule/redact"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/daemon"
	"rookery/supervisor/roots"
)

func newUp(env *Env, at *address) *cobra.Command {
	var once bool
	var stopTimeout time.Duration
	var worker, onExit string
	var replace, verbose bool
	c := &cobra.Command{
		Use:   "up",
		Short: "Bring the fleet up and stay",
		Long: "Starts every capsule of the fleet file and stays. SIGINT or SIGTERM ends every tree, children first, within --stop-timeout; a\n" +
			"second one kills what is left at once. With --once it ends when every root has ended, and exits 0 only if every one ended ok.\n" +
			"Each root's end is one block on stdout: a line with its id, session and status, then its answer.",
		Example: "  supervisor up\n  supervisor up -f fleet.yaml --once",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case replace:
				return usage("--replace is not built into this version yet")
			case onExit == "keep":
				return usage("--on-exit keep is not built into this version yet")
			case onExit != "end":
				return usage("--on-exit %s: the choices are end and keep", onExit)
			case stopTimeout < 0:
				return usage("--stop-timeout %s: a length of time, not negative", stopTimeout)
			}
			f, err := at.loadFleet(once)
			if err != nil {
				return err
			}
			state, err := at.stateDir()
			if err != nil {
				return err
			}
			path, err := daemon.FindWorker(env.Executable, worker)
			if err != nil {
				return usage("%w", err)
			}
			stop := make(chan os.Signal, 2)
			signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			defer signal.Stop(stop)
			// With somebody listening, a log that nobody reads any more is an error of the write, not the end of the supervisor.
			broken := make(chan os.Signal, 1)
			signal.Notify(broken, syscall.SIGPIPE)
			defer signal.Stop(broken)
			ok, err := daemon.Up(c.Context(), daemon.Options{
				Fleet: f, StateDir: state, Worker: path, Version: env.Version, Once: once, StopTimeout: stopTimeout, Stop: stop,
				Ended: func(r roots.Result) { printEnd(env.Stdout, r) }, Log: logger(env, verbose),
			})
			switch {
			case errors.Is(err, daemon.ErrConfig):
				return usage("%w", err)
			case err != nil:
				return failed("%w", err)
			case once && !ok:
				return errQuietFailure
			}
			return nil
		},
	}
	f := c.Flags()
	f.BoolVar(&once, "once", false, "end when every root has ended")
	f.DurationVar(&stopTimeout, "stop-timeout", 10*time.Second, "time for ending every tree")
	f.StringVar(&worker, "worker", "", "worker program (default: beside this one)")
	f.StringVar(&onExit, "on-exit", "end", "what a stop does to workers: end, or keep for the next up (keep: not in this build)")
	f.BoolVar(&replace, "replace", false, "take over from a running supervisor (not in this build)")
	f.BoolVarP(&verbose, "verbose", "v", false, "log more")
	return c
}

// logger writes to stderr, whatever could be a handle or steer a terminal taken out.
func logger(env *Env, verbose bool) zerolog.Logger {
	out := env.Stderr
	if env.StderrTerminal {
		out = zerolog.ConsoleWriter{Out: env.Stderr, TimeFormat: "15:04:05.000"}
	}
	level := zerolog.InfoLevel
	if verbose {
		level = zerolog.DebugLevel
	}
	return zerolog.New(redact.Writer(out)).Level(level).With().Timestamp().Logger()
}

func printEnd(w io.Writer, r roots.Result) {
	session := r.Session
	if session == "" {
		session = "-"
	}
	_, _ = fmt.Fprintln(w, view.Clean(fmt.Sprintf("== %s %s %s", r.ID, session, r.Status)))
	if r.Detail != "" {
		_, _ = fmt.Fprintln(w, view.Clean("detail: "+r.Detail))
	}
	if r.Answer != "" {
		_, _ = fmt.Fprintln(w, view.CleanText(r.Answer))
	}
}
