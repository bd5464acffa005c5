package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

func newTree(env *Env, at *address) *cobra.Command {
	var out output
	var all bool
	c := &cobra.Command{
		Use:     "tree",
		Short:   "Show sessions and their delegations as a tree",
		Example: "  supervisor tree\n  supervisor tree --all",
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
				return printTree(env.Stdout, sessions, time.Now())
			})
		},
	}
	out.flag(c)
	c.Flags().BoolVar(&all, "all", false, "ended sessions too")
	return c
}

// printTree draws the sessions beneath their parents. One whose parent is not in the list (ended, and not asked for) stands at the
// top with the parent's id.
func printTree(w io.Writer, sessions []*operatorv1.Session, now time.Time) error {
	known := map[string]bool{}
	for _, s := range sessions {
		known[s.GetSessionId()] = true
	}
	beneath := map[string][]*operatorv1.Session{}
	var top []*operatorv1.Session
	for _, s := range sessions {
		if known[s.GetSpawnedBy()] {
			beneath[s.GetSpawnedBy()] = append(beneath[s.GetSpawnedBy()], s)
		} else {
			top = append(top, s)
		}
	}
	var draw func(s *operatorv1.Session, indent, mark, carry string) error
	draw = func(s *operatorv1.Session, indent, mark, carry string) error {
		if _, err := fmt.Fprintln(w, view.Clean(indent+mark+treeLine(s, now))); err != nil {
			return err
		}
		children := beneath[s.GetSessionId()]
		for i, child := range children {
			m, next := "├─ ", "│  "
			if i == len(children)-1 {
				m, next = "└─ ", "   "
			}
			if err := draw(child, indent+carry, m, next); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range top {
		if err := draw(s, "", "", ""); err != nil {
			return err
		}
	}
	return nil
}

func treeLine(s *operatorv1.Session, now time.Time) string {
	name := s.GetRootId()
	if name == "" {
		name = s.GetDelegationId()
	}
	line := fmt.Sprintf("%s %s@%s %s", name, s.GetCapsule(), s.GetVersion(), word(s.GetState()))
	if s.GetStatus() != "" {
		line += " " + s.GetStatus()
	}
	if s.GetPid() != 0 {
		line += fmt.Sprintf(" pid %d", s.GetPid())
	}
	line += " " + view.Age(s.GetStartedAt(), now)
	if s.GetDetail() != "" {
		line += " (" + s.GetDetail() + ")"
	}
	return line
}
