package cli

import (
	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/daemon"
	"rookery/supervisor/doctor"
)

func newDoctor(env *Env, at *address) *cobra.Command {
	var out output
	var path string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine can enforce and what is missing",
		Long: "Looks at this machine: the kernel's calls, namespaces, limits, the disk under the state folder. What is missing comes with what to do\n" +
			"about it. Exits 1 when something is missing without which nothing runs. It needs no running host and changes nothing.",
		Example: "  supervisor doctor\n  supervisor doctor -o json | jq '.[] | select(.state == \"missing\")'",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			state, err := at.stateDir()
			if err != nil {
				return err
			}
			worker, workerErr := daemon.FindWorker(env.Executable, path)
			checks := doctor.Look(doctor.Options{StateDir: state, Worker: worker, WorkerErr: workerErr})
			if asJSON {
				err = view.JSON(env.Stdout, checks)
			} else {
				err = checkTable(checks).Write(env.Stdout)
			}
			if err == nil && !doctor.Fit(checks) {
				return failed("something is missing without which nothing runs")
			}
			return err
		},
	}
	out.flag(c)
	c.Flags().StringVar(&path, "worker", "", "worker program (default: beside this one)")
	return c
}

func checkTable(checks []*operatorv1.Check) *view.Table {
	t := view.NewTable("CHECK", "STATE", "NEEDED", "FOUND", "REMEDY")
	for _, c := range checks {
		needed := "no"
		if c.GetRequired() {
			needed = "yes"
		}
		t.Row(c.GetName(), word(c.GetState()), needed, c.GetDetail(), c.GetRemedy())
	}
	return t
}
