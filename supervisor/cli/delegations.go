package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/reflect/protoreflect"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

// statuses are how a delegation can have ended.
var statuses = []string{"ok", "error", "crashed", "terminated", "unknown"}

func newDelegations(env *Env, at *address) *cobra.Command {
	var out output
	var all bool
	var states []string
	req := &operatorv1.ListDelegationsRequest{PageSize: maxPage}
	c := &cobra.Command{
		Use:     "delegations",
		Short:   "List delegations",
		Long:    "Lists the living delegations, with --all the ended ones too: from the records while no supervisor runs.",
		Example: "  supervisor delegations\n  supervisor delegations --all --status crashed\n  supervisor delegations --only running --capsule counter -o json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			for _, name := range []string{"status", "capsule", "parent", "root"} {
				if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
					return usage("--%s is given and empty: leave it out to list all", name)
				}
			}
			if s := req.GetStatus(); s != "" && !slices.Contains(statuses, s) {
				return usage("--status %s: the statuses are %s", s, strings.Join(statuses, ", "))
			}
			if req.States, err = delegationStates(states, all || req.GetStatus() != ""); err != nil {
				return err
			}
			show := func(delegations []*operatorv1.Delegation) error {
				if asJSON {
					return view.JSON(env.Stdout, delegations)
				}
				return delegationTable(delegations, time.Now()).Write(env.Stdout)
			}
			live := func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				delegations, err := allDelegations(ctx, op, req)
				if err != nil {
					return err
				}
				return show(delegations)
			}
			if !all {
				return at.call(c.Context(), callTimeout, live)
			}
			return at.orDisk(c.Context(), live, func(state layout.State) error {
				delegations, err := diskDelegations(onDisk(env, state), req)
				if err != nil {
					return err
				}
				return show(delegations)
			})
		},
	}
	out.flag(c)
	f := c.Flags()
	f.BoolVar(&all, "all", false, "ended delegations too")
	f.StringSliceVar(&states, "only", nil, "only those in these states: starting, running, ending, ended")
	f.StringVar(&req.Status, "status", "", "only this status: "+strings.Join(statuses, ", "))
	f.StringVar(&req.Capsule, "capsule", "", "only children of this capsule name")
	f.StringVar(&req.ParentSessionId, "parent", "", "only those made by this session")
	f.StringVar(&req.RootSessionId, "root", "", "only those beneath this root session")
	words(c, "only", "starting", "running", "ending", "ended")
	words(c, "status", statuses...)
	return c
}

// delegationStates reads --only; without it, what lives is shown, or everything with all.
func delegationStates(words []string, all bool) ([]operatorv1.DelegationState, error) {
	if len(words) == 0 && all {
		return nil, nil
	}
	if len(words) == 0 {
		words = []string{"starting", "running", "ending"}
	}
	var states []operatorv1.DelegationState
	for _, w := range words {
		n, ok := operatorv1.DelegationState_value["DELEGATION_STATE_"+strings.ToUpper(w)]
		if !ok || n == 0 {
			return nil, usage("--only %s: the states are starting, running, ending and ended", w)
		}
		states = append(states, operatorv1.DelegationState(n))
	}
	return states, nil
}

func allDelegations(ctx context.Context, op operatorv1.OperatorServiceClient, req *operatorv1.ListDelegationsRequest) ([]*operatorv1.Delegation, error) {
	delegations := []*operatorv1.Delegation{}
	for {
		page, err := op.ListDelegations(ctx, req)
		if err != nil {
			return nil, err
		}
		delegations = append(delegations, page.GetDelegations()...)
		if req.PageToken = page.GetNextPageToken(); req.GetPageToken() == "" {
			return delegations, nil
		}
	}
}

func delegationTable(delegations []*operatorv1.Delegation, now time.Time) *view.Table {
	t := view.NewTable("DELEGATION", "CAPSULE", "STATE", "STATUS", "PID", "AGE", "TOOK", "PARENT", "DETAIL")
	for _, d := range delegations {
		took := "-"
		if d.GetEndedAt() != nil {
			took = view.Span(time.Duration(d.GetDurationMs()) * time.Millisecond)
		}
		t.Row(d.GetDelegationId(), d.GetCapsule()+"@"+d.GetVersion(), stateWord(d.GetState()), d.GetStatus(), pid(d.GetPid()),
			view.Age(d.GetStartedAt(), now), took, d.GetParentSessionId(), d.GetDetail())
	}
	return t
}

// stateWord is a state as a table shows it; "?" when only the records speak and they hold no end.
func stateWord(e protoreflect.Enum) string { return cmp.Or(word(e), "?") }

// word is an enum's value as people write it.
func word(e protoreflect.Enum) string { return view.Word(e.Descriptor(), e.Number()) }
