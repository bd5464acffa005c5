package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/daemon"
)

func newCompile(env *Env, at *address) *cobra.Command {
	var worker string
	var verbose bool
	c := &cobra.Command{
		Use:   "compile PATH",
		Short: "Fill the native-code cache",
		Long: "Compiles a capsule's module, or every one of a store, into the state folder's cache, so that no start waits for it. A running\n" +
			"supervisor compiles what it needs by itself; this is for the time before `up`.",
		Example: "  supervisor compile examples/census/capsules",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			state, err := at.stateDir()
			if err != nil {
				return err
			}
			path, err := daemon.FindWorker(env.Executable, worker)
			if err != nil {
				return usage("%w", err)
			}
			err = daemon.Compile(c.Context(), daemon.CompileOptions{
				Path: args[0], StateDir: state, Worker: path, Log: logger(env, verbose),
				Done: func(capsule string) { _, _ = fmt.Fprintln(env.Stdout, view.Clean(capsule)) },
			})
			switch {
			case errors.Is(err, daemon.ErrConfig):
				return usage("%w", err)
			case err != nil:
				return failed("%w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&worker, "worker", "", "worker program (default: beside this one)")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "log more")
	return c
}
