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
	var all, live bool
	c := &cobra.Command{
		Use:   "tree",
		Short: "Show sessions and their delegations as a tree",
		Long: "Draws every session beneath the one that delegated it. With -w a terminal shows the tree live until the host stops; elsewhere the tree\n" +
			"is printed once, and then a line for each change, while somebody reads it. --all works from the records while no supervisor runs.",
		Example: "  supervisor tree\n  supervisor tree -w\n  supervisor tree --all -o json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			if live {
				if out.format == "json" {
					return usage("-w shows a tree: follow `events -f -o json` instead")
				}
				show := plainTree
				if env.Terminal {
					show = liveTree
				}
				return at.follow(c.Context(), func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
					return show(ctx, env, op, all)
				})
			}
			return at.sessions(c.Context(), all, func(sessions []*operatorv1.Session) error {
				if asJSON {
					return view.JSON(env.Stdout, sessions)
				}
				return printTree(env.Stdout, sessions, time.Now())
			})
		},
	}
	out.flag(c)
	c.Flags().BoolVar(&all, "all", false, "ended sessions too")
	c.Flags().BoolVarP(&live, "watch", "w", false, "go on until the host stops")
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
	line := fmt.Sprintf("%s %s@%s %s", name, s.GetCapsule(), s.GetVersion(), stateWord(s.GetState()))
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
