package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

// completeTimeout bounds what a shell waits for at a tab.
const completeTimeout = time.Second

// ids asks the host for what may complete an argument.
type ids func(context.Context, operatorv1.OperatorServiceClient) ([]string, error)

// complete offers ids of the running host for the first argument; without a host it offers nothing.
func (a *address) complete(of ids) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found []string
		err := a.call(c.Context(), completeTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) (err error) {
			found, err = of(ctx, op)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// offer is an id with what a shell shows beside it.
func offer(id, capsule, state string) string { return id + "\t" + view.Clean(capsule+" "+state) }

func completeDelegations(ctx context.Context, op operatorv1.OperatorServiceClient) ([]string, error) {
	states, _ := delegationStates(nil, false)
	all, err := allDelegations(ctx, op, &operatorv1.ListDelegationsRequest{PageSize: maxPage, States: states})
	var out []string
	for _, d := range all {
		out = append(out, offer(d.GetDelegationId(), d.GetCapsule(), word(d.GetState())))
	}
	return out, err
}

func completeSessions(ctx context.Context, op operatorv1.OperatorServiceClient) ([]string, error) {
	return offerSessions(ctx, op, false)
}

// completeAnySession offers ended sessions too.
func completeAnySession(ctx context.Context, op operatorv1.OperatorServiceClient) ([]string, error) {
	return offerSessions(ctx, op, true)
}

func offerSessions(ctx context.Context, op operatorv1.OperatorServiceClient, ended bool) ([]string, error) {
	all, err := allSessions(ctx, op, ended)
	var out []string
	for _, s := range all {
		out = append(out, offer(s.GetSessionId(), s.GetCapsule(), word(s.GetState())))
	}
	return out, err
}

// completeEither offers sessions and delegations, ended ones too.
func completeEither(ctx context.Context, op operatorv1.OperatorServiceClient) ([]string, error) {
	sessions, err := completeAnySession(ctx, op)
	if err != nil {
		return nil, err
	}
	all, err := allDelegations(ctx, op, &operatorv1.ListDelegationsRequest{PageSize: maxPage})
	for _, d := range all {
		sessions = append(sessions, offer(d.GetDelegationId(), d.GetCapsule(), word(d.GetState())))
	}
	return sessions, err
}

// words offers fixed values of a flag.
func words(c *cobra.Command, flag string, values ...string) {
	// The only error is of a flag that the command does not have, which its own test finds.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
