package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

// ended is what a command that ends something shows: a Session or a Delegation.
type ended interface {
	proto.Message
	GetCapsule() string
	GetVersion() string
	GetStatus() string
	GetDetail() string
}

// ending is what `kill` and `stop` have in common.
type ending struct {
	env    *Env
	at     *address
	out    output
	reason string
	grace  time.Duration
}

func (e *ending) flags(c *cobra.Command) {
	e.out.flag(c)
	c.Flags().StringVar(&e.reason, "reason", "", "why; shown in the detail")
	c.Flags().DurationVar(&e.grace, "grace", 5*time.Second, "time for the whole subtree to end by itself")
}

// run has something ended and shows how it ended. The call may take the grace and as long as any other call behind it.
func (e *ending) run(ctx context.Context, end func(context.Context, operatorv1.OperatorServiceClient, *durationpb.Duration) (id string, _ ended, _ error)) error {
	asJSON, err := e.out.json(e.env)
	if err != nil {
		return err
	}
	if e.grace < 0 {
		return usage("--grace %s: a length of time from 0 to 60s", e.grace)
	}
	return e.at.call(ctx, e.grace+callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
		id, what, err := end(ctx, op, durationpb.New(e.grace))
		if err != nil {
			return err
		}
		if asJSON {
			return view.JSONObject(e.env.Stdout, what)
		}
		line := fmt.Sprintf("%s %s@%s ended %s", id, what.GetCapsule(), what.GetVersion(), what.GetStatus())
		if what.GetDetail() != "" {
			line += ": " + what.GetDetail()
		}
		_, err = fmt.Fprintln(e.env.Stdout, view.Clean(line))
		return err
	})
}
