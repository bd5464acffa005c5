package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/story"
	"rookery/supervisor/cli/internal/view"
)

func newTrace(env *Env, at *address) *cobra.Command {
	var out output
	var follow bool
	c := &cobra.Command{
		Use:   "trace SES",
		Short: "Tell one session's story",
		Long: "Tells what a session's trace holds, one event a line: the time since its beginning, indented beneath the event it belongs to. A\n" +
			"delegation's id stands for its child's session. While no supervisor runs, the trace is read from the records. -o json gives the\n" +
			"trace's own objects as an array, with -f one a line.",
		Example:           "  supervisor trace 4f2a\n  supervisor trace 4f2a -o json | jq '.[] | select(.event_type == \"delegation\")'",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: at.complete(completeEither),
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			q := &operatorv1.TailLogsRequest{SessionId: args[0], Source: operatorv1.LogSource_LOG_SOURCE_TRACE, Follow: follow}
			p := tracePrinter{env: env, json: asJSON, follow: follow, all: []json.RawMessage{}}
			if err := at.tail(c.Context(), q, p.add); err != nil {
				return err
			}
			return p.end()
		},
	}
	out.flag(c)
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the session has ended")
	return c
}

// tracePrinter prints a trace in one of its forms.
type tracePrinter struct {
	env          *Env
	json, follow bool
	all          []json.RawMessage
	teller       story.Teller
}

func (p *tracePrinter) add(lines []string, _ bool) error {
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			_, _ = fmt.Fprintln(p.env.Stderr, view.Clean("a line that is no event (its writer was killed): "+line))
			continue
		}
		var err error
		switch {
		case p.json && p.follow:
			err = view.JSONValueLine(p.env.Stdout, json.RawMessage(line))
		case p.json:
			p.all = append(p.all, json.RawMessage(line))
		default:
			_, err = fmt.Fprintln(p.env.Stdout, view.Clean(p.teller.Line(line)))
		}
		if err != nil {
			return failed("%w", err)
		}
	}
	return nil
}

func (p *tracePrinter) end() error {
	if !p.json || p.follow {
		return nil
	}
	return view.JSONValue(p.env.Stdout, p.all)
}
