package cli

import (
	"context"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"rookery/capsule/id"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func newStop(env *Env, at *address) *cobra.Command {
	e := &ending{env: env, at: at}
	c := &cobra.Command{
		Use:   "stop SES",
		Short: "End a session and everything beneath it",
		Long: "Ends a session, a root's for instance, and everything beneath it, as `kill` does a delegation: the capsules are asked first and have\n" +
			"--grace in all; what is left is killed. The command returns when the processes are gone and their records are on disk.",
		Example:           "  supervisor stop ses_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f\n  supervisor stop 9e0f --reason 'maintenance' --grace 2s",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: at.complete(completeSessions),
		RunE: func(c *cobra.Command, args []string) error {
			return e.run(c.Context(), args[0], otherEnd{id.Delegation, "delegation", "kill", "session"}, func(ctx context.Context, op operatorv1.OperatorServiceClient, grace *durationpb.Duration) (string, ended, error) {
				answer, err := op.StopSession(ctx, &operatorv1.StopSessionRequest{SessionId: args[0], Reason: e.reason, Grace: grace})
				return answer.GetSession().GetSessionId(), answer.GetSession(), err
			})
		},
	}
	e.flags(c)
	return c
}
