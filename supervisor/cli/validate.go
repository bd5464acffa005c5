package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rookery/capsule/layout"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/daemon"
)

func newValidate(env *Env, at *address) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check the fleet file and every manifest in its stores",
		Long: "Reads the fleet file and the packages in its stores and prints every fault with file, line and field; a path of the state folder that\n" +
			"is too long, and a module that is cut short or exports no _start, are faults too. What a module imports is judged when it starts.\n" +
			"Exits 1 on any.",
		Example: "  supervisor validate\n  supervisor validate -f fleet.yaml",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			report, err := daemon.Check(at.fleetFile())
			if err != nil {
				return usage("%w", err)
			}
			// Without a home there is no folder to judge, and a fleet file that cannot be read is among the faults already.
			if dir, err := at.stateDir(); err == nil {
				if err := (layout.State{Root: dir}).Check(); err != nil {
					report.Faults = append(report.Faults, err)
				}
			}
			for _, w := range report.Warnings {
				_, _ = fmt.Fprintln(env.Stderr, "warning: "+view.CleanText(w.Error()))
			}
			for _, f := range report.Faults {
				_, _ = fmt.Fprintln(env.Stdout, view.CleanText(f.Error()))
			}
			if n := len(report.Faults); n > 0 {
				return failed("%s: faults: %d", at.fleetFile(), n)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s: no faults\n", view.Clean(at.fleetFile()))
			return err
		},
	}
}
