package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

func newPs(env *Env, at *address) *cobra.Command {
	var out output
	var all bool
	c := &cobra.Command{
		Use:     "ps",
		Short:   "List sessions",
		Long:    "Lists the living sessions, with --all the ended ones too: from the records while no supervisor runs.",
		Example: "  supervisor ps\n  supervisor ps --all -o json | jq '.[].status'",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			return at.sessions(c.Context(), all, func(sessions []*operatorv1.Session) error {
				if asJSON {
					return view.JSON(env.Stdout, sessions)
				}
				return sessionTable(sessions, time.Now()).Write(env.Stdout)
			})
		},
	}
	out.flag(c)
	c.Flags().BoolVar(&all, "all", false, "ended sessions too")
	return c
}

// sessions gives show the sessions of the host, or all of the records while no supervisor runs and ended ones are asked for too.
func (a *address) sessions(ctx context.Context, ended bool, show func([]*operatorv1.Session) error) error {
	live := func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
		sessions, err := allSessions(ctx, op, ended)
		if err != nil {
			return err
		}
		return show(sessions)
	}
	if !ended {
		return a.call(ctx, callTimeout, live)
	}
	return a.orDisk(ctx, live, func(state layout.State) error { return show(diskSessions(onDisk(a.env, state))) })
}

func allSessions(ctx context.Context, op operatorv1.OperatorServiceClient, ended bool) ([]*operatorv1.Session, error) {
	sessions := []*operatorv1.Session{}
	req := &operatorv1.ListSessionsRequest{PageSize: maxPage, All: ended}
	for {
		page, err := op.ListSessions(ctx, req)
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, page.GetSessions()...)
		if req.PageToken = page.GetNextPageToken(); req.GetPageToken() == "" {
			return sessions, nil
		}
	}
}

// maxPage is the largest page the operator API gives.
const maxPage = 500

func sessionTable(sessions []*operatorv1.Session, now time.Time) *view.Table {
	t := view.NewTable("SESSION", "ROOT", "CAPSULE", "STATE", "STATUS", "PID", "AGE", "URL", "DETAIL")
	for _, s := range sessions {
		t.Row(s.GetSessionId(), s.GetRootId(), s.GetCapsule()+"@"+s.GetVersion(), stateWord(s.GetState()), s.GetStatus(), pid(s.GetPid()),
			view.Age(s.GetStartedAt(), now), s.GetUrl(), s.GetDetail())
	}
	return t
}

func pid(n int32) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
