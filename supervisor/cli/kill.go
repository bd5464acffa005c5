package cli

import (
	"context"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"rookery/capsule/id"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func newKill(env *Env, at *address) *cobra.Command {
	e := &ending{env: env, at: at}
	c := &cobra.Command{
		Use:   "kill DLG",
		Short: "End a delegation and everything beneath it",
		Long: "Ends one delegation and everything beneath it. The capsules are asked first and have --grace in all; what is left is\n" +
			"killed. The command returns when the processes are gone and their records are on disk. Killing an ended delegation\n" +
			"changes nothing and shows its record. The parent is told, with the reason.",
		Example:           "  supervisor kill dlg_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f\n  supervisor kill 9e0f --reason 'took too long' --grace 2s",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: at.complete(completeDelegations),
		RunE: func(c *cobra.Command, args []string) error {
			return e.run(c.Context(), args[0], otherEnd{id.Session, "session", "stop", "delegation"}, func(ctx context.Context, op operatorv1.OperatorServiceClient, grace *durationpb.Duration) (string, ended, error) {
				answer, err := op.KillDelegation(ctx, &operatorv1.KillDelegationRequest{DelegationId: args[0], Reason: e.reason, Grace: grace})
				return answer.GetDelegation().GetDelegationId(), answer.GetDelegation(), err
			})
		},
	}
	e.flags(c)
	return c
}
