package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"rookery/capsule/id"
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

// otherEnd is the command that ends what this one does not, and the kind of id it takes.
type otherEnd struct {
	kind    id.Kind
	what    string
	command string
	instead string // what the command at hand ends
}

// run has something ended and shows how it ended. The call may take the grace and as long as any other call behind it.
func (e *ending) run(ctx context.Context, query string, other otherEnd, end func(context.Context, operatorv1.OperatorServiceClient, *durationpb.Duration) (name string, _ ended, _ error)) error {
	asJSON, err := e.out.json(e.env)
	if err != nil {
		return err
	}
	if e.grace < 0 {
		return usage("--grace %s: a length of time from 0 to 60s", e.grace)
	}
	if other.kind.Valid(query) {
		return usage("there is no %s %s: it is a %s's id, which `supervisor %s` ends", other.instead, query, other.what, other.command)
	}
	return e.at.call(ctx, e.grace+callTimeout, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
		name, what, err := end(ctx, op, durationpb.New(e.grace))
		if status.Code(err) == codes.NotFound {
			return usage("%s (a %s is ended with `supervisor %s`)", status.Convert(err).Message(), other.what, other.command)
		}
		if err != nil {
			return err
		}
		if asJSON {
			return view.JSONObject(e.env.Stdout, what)
		}
		line := fmt.Sprintf("%s %s@%s ended %s", name, what.GetCapsule(), what.GetVersion(), what.GetStatus())
		if what.GetDetail() != "" {
			line += ": " + what.GetDetail()
		}
		_, err = fmt.Fprintln(e.env.Stdout, view.Clean(line))
		return err
	})
}
