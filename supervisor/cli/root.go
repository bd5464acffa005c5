package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rookery/supervisor/cli/internal/view"
)

// Env is what a command may touch of the process it runs in. Getenv is the only way to the environment: `up` starts workers, and
// nothing of this process's own environment may reach one.
type Env struct {
	Stdout, Stderr io.Writer
	// Terminal and StderrTerminal report whether Stdout and Stderr are terminals.
	Terminal, StderrTerminal bool
	// Size returns the columns and rows of the terminal at Stdout; nil or 0 when nobody knows.
	Size func() (columns, rows int)
	// Getenv reads one variable; only ROOKERY_STATE, XDG_STATE_HOME and HOME are asked for.
	Getenv func(string) string
	// Executable is the path of this program; the worker is found beside it.
	Executable string
	// Version is stamped at build time.
	Version string
}

// Run executes one command line and returns the process's exit code.
func Run(ctx context.Context, env Env, args []string) int {
	root := newRoot(&env)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		if text := sentence(err); text != "" {
			_, _ = fmt.Fprintln(env.Stderr, "supervisor: "+view.CleanText(text))
		}
	}
	return exitCode(err)
}

func newRoot(env *Env) *cobra.Command {
	at := &address{env: env}
	root := &cobra.Command{
		Use:   "supervisor",
		Short: "Runs a tree of capsules on this machine",
		Long: "supervisor runs a tree of agents (capsules), each a sandboxed WebAssembly module in a process of its own.\n" +
			"Bring a fleet up with `supervisor up`; look at it and end any of it from another terminal.",
		Example:       "  supervisor up -f fleet.yaml\n  supervisor delegations\n  supervisor kill 4f2a --reason 'took too long'",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       env.Version,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%s: %w (see `%s --help`)", c.CommandPath(), err, c.CommandPath())
	})
	at.flags(root)
	root.AddCommand(
		newUp(env, at), newValidate(env, at), newPs(env, at), newDelegations(env, at), newTree(env, at),
		newKill(env, at), newStop(env, at), newLaunch(env, at), newLogs(env, at), newEvents(env, at), newTrace(env, at),
		newHost(env, at), newDoctor(env, at), newCompile(env, at), newPack(env), newPrune(env, at), newVersion(env),
	)
	at.shorthand(append(root.Commands(), root)...)
	root.AddCommand(notBuilt()...)
	for _, c := range root.Commands() {
		if c.Args != nil {
			c.Args = usageArgs(c.Args)
		}
	}
	return root
}

// usageArgs gives a wrong number of arguments the exit code of a wrong command.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage("%s: %w (see `%s --help`)", c.CommandPath(), err, c.CommandPath())
		}
		return nil
	}
}
