package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

func newKill(env *Env, at *address) *cobra.Command {
	var out output
	var reason string
	var grace time.Duration
	c := &cobra.Command{
		Use:   "kill DLG",
		Short: "End a delegation and everything beneath it",
		Long: "Ends one delegation and everything beneath it. The capsules are asked first and have --grace in all; what is left is\n" +
			"killed. The command returns when the processes are gone and their records are on disk. Killing an ended delegation\n" +
			"changes nothing and shows its record.",
		Example: "  supervisor kill dlg_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f\n  supervisor kill 9e0f --reason 'took too long' --grace 2s",
		Args:    cobra.ExactArgs(1),

		ValidArgsFunction: at.complete(completeDelegations),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			if grace < 0 {
				return usage("--grace %s: a length of time from 0 to 60s", grace)
			}
			return at.call(c.Context(), grace+callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				answer, err := op.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: args[0], Reason: reason, Grace: durationpb.New(grace)})
				if err != nil {
					return err
				}
				d := answer.GetDelegation()
				if asJSON {
					return view.JSONObject(env.Stdout, d)
				}
				line := fmt.Sprintf("%s %s@%s ended %s", d.GetDelegationId(), d.GetCapsule(), d.GetVersion(), d.GetStatus())
				if d.GetDetail() != "" {
					line += ": " + d.GetDetail()
				}
				_, err = fmt.Fprintln(env.Stdout, view.Clean(line))
				return err
			})
		},
	}
	out.flag(c)
	c.Flags().StringVar(&reason, "reason", "", "why; shown in the detail that the parent is told")
	c.Flags().DurationVar(&grace, "grace", 5*time.Second, "time for the whole subtree to end by itself")
	return c
}
