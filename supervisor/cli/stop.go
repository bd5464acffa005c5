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

func newStop(env *Env, at *address) *cobra.Command {
	var out output
	var reason string
	var grace time.Duration
	c := &cobra.Command{
		Use:   "stop SES",
		Short: "End a session and everything beneath it",
		Long: "Ends a session, a root's for instance, and everything beneath it, as `kill` does a delegation: the capsules are asked first and have\n" +
			"--grace in all; what is left is killed. The command returns when the processes are gone and their records are on disk.",
		Example:           "  supervisor stop ses_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f\n  supervisor stop 9e0f --reason 'maintenance' --grace 2s",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: at.complete(completeSessions),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			if grace < 0 {
				return usage("--grace %s: a length of time from 0 to 60s", grace)
			}
			return at.call(c.Context(), grace+callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				answer, err := op.StopSession(ctx, &operatorv1.StopSessionRequest{SessionId: args[0], Reason: reason, Grace: durationpb.New(grace)})
				if err != nil {
					return err
				}
				s := answer.GetSession()
				if asJSON {
					return view.JSONObject(env.Stdout, s)
				}
				line := fmt.Sprintf("%s %s@%s ended %s", s.GetSessionId(), s.GetCapsule(), s.GetVersion(), s.GetStatus())
				if s.GetDetail() != "" {
					line += ": " + s.GetDetail()
				}
				_, err = fmt.Fprintln(env.Stdout, view.Clean(line))
				return err
			})
		},
	}
	out.flag(c)
	c.Flags().StringVar(&reason, "reason", "", "why; shown in the detail")
	c.Flags().DurationVar(&grace, "grace", 5*time.Second, "time for the whole subtree to end by itself")
	return c
}
