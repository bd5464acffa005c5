package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

func newPs(env *Env, at *address) *cobra.Command {
	var out output
	var all bool
	c := &cobra.Command{
		Use:     "ps",
		Short:   "List sessions",
		Example: "  supervisor ps\n  supervisor ps --all -o json | jq '.[].status'",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			return at.call(c.Context(), callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				sessions, err := allSessions(ctx, op, all)
				if err != nil {
					return err
				}
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
		t.Row(s.GetSessionId(), s.GetRootId(), s.GetCapsule()+"@"+s.GetVersion(), word(s.GetState()), s.GetStatus(), pid(s.GetPid()),
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
