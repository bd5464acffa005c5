package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

func newHost(env *Env, at *address) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:     "host",
		Short:   "Show the running host: version, counts, limits",
		Example: "  supervisor host\n  supervisor host -o json | jq .sessions_live",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			return at.call(c.Context(), callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				host, err := op.GetHost(ctx, &operatorv1.GetHostRequest{})
				if err != nil {
					return err
				}
				if asJSON {
					return view.JSONObject(env.Stdout, host)
				}
				return hostTable(host, time.Now()).Write(env.Stdout)
			})
		},
	}
	out.flag(c)
	return c
}

func hostTable(h *operatorv1.GetHostResponse, now time.Time) *view.Table {
	t := view.NewTable("HOST", h.GetVersion())
	l := h.GetLimits()
	missing := ""
	for _, c := range h.GetChecks() {
		if c.GetState() != operatorv1.CheckState_CHECK_STATE_OK {
			missing += " " + c.GetName()
		}
	}
	if missing == "" {
		missing = " nothing"
	}
	for _, row := range [][2]string{
		{"pid", fmt.Sprint(h.GetPid())},
		{"up", view.Age(h.GetStartedAt(), now)},
		{"state", h.GetStateDir()},
		{"sessions", fmt.Sprintf("%d live, %d ended", h.GetSessionsLive(), h.GetSessionsEnded())},
		{"delegations", fmt.Sprintf("%d live, %d ended", h.GetDelegationsLive(), h.GetDelegationsEnded())},
		{"containment", h.GetContainment()},
		{"limits", fmt.Sprintf("depth %d, children %d, live capsules %d, spawns per root %d, %g a minute with bursts of %d",
			l.GetMaxDepth(), l.GetMaxChildren(), l.GetMaxLiveCapsules(), l.GetMaxSpawnsPerRoot(), l.GetSpawnRatePerMinute(), l.GetSpawnBurst())},
		{"latest event", fmt.Sprint(h.GetLatestEvent())},
		{"missing here", missing[1:]},
	} {
		t.Row(row[0], row[1])
	}
	return t
}
