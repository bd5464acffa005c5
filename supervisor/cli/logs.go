package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/records"
)

func newLogs(env *Env, at *address) *cobra.Command {
	var form string
	var follow, worker, stdout bool
	var lines int
	c := &cobra.Command{
		Use:   "logs SES|DLG",
		Short: "Show what a capsule or its worker logged",
		Long: "Shows what the capsule of a session printed to stderr; --stdout what it printed there, --worker what the worker process logged. With\n" +
			"-f it goes on until the session has ended. What could steer a terminal is spelled out. While no supervisor runs, the log is read from\n" +
			"the records. -o json gives an array of lines, with -f one JSON string a line.",
		Example:           "  supervisor logs 4f2a\n  supervisor logs -f -n 20 dlg_0192f0c1e5a97c3e8d5f4b6a7c8d9e0f\n  supervisor logs 4f2a --worker -o json | jq -r '.[]'",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: at.complete(completeEither),
		RunE: func(c *cobra.Command, args []string) error {
			source := operatorv1.LogSource_LOG_SOURCE_GUEST_STDERR
			switch {
			case worker && stdout:
				return usage("--worker and --stdout are two logs: give one of them")
			case worker:
				source = operatorv1.LogSource_LOG_SOURCE_WORKER
			case stdout:
				source = operatorv1.LogSource_LOG_SOURCE_GUEST_STDOUT
			}
			if lines < 0 {
				return usage("-n %d: a number of lines, 0 for all", lines)
			}
			if form != "" && form != "table" && form != "json" {
				return usage("-o %s: the forms are table and json", form)
			}
			printer := &linePrinter{env: env, json: form == "json", follow: follow}
			q := &operatorv1.TailLogsRequest{SessionId: args[0], Source: source, Lines: int32(lines), Follow: follow}
			if err := at.tail(c.Context(), q, printer.add); err != nil {
				return err
			}
			return printer.end()
		},
	}
	f := c.Flags()
	f.StringVarP(&form, "output", "o", "", "table (default: plain lines) or json")
	f.BoolVarP(&follow, "follow", "f", false, "go on until the session has ended")
	f.BoolVar(&worker, "worker", false, "the worker process's log")
	f.BoolVar(&stdout, "stdout", false, "what the capsule printed to stdout")
	f.IntVarP(&lines, "lines", "n", 0, "only the last so many lines; 0: all")
	return c
}

// linePrinter prints log lines in one of their forms.
type linePrinter struct {
	env          *Env
	json, follow bool
	all          []string // kept for the array
}

func (p *linePrinter) add(lines []string, restarted bool) error {
	if restarted {
		_, _ = fmt.Fprintln(p.env.Stderr, "-- the log was cut: it begins anew --")
	}
	if p.json && !p.follow {
		p.all = append(p.all, lines...)
		return nil
	}
	for _, line := range lines {
		var err error
		if p.json {
			err = view.JSONValueLine(p.env.Stdout, line)
		} else {
			_, err = fmt.Fprintln(p.env.Stdout, view.CleanLine(line))
		}
		if err != nil {
			return failed("%w", err)
		}
	}
	return nil
}

// end prints the array.
func (p *linePrinter) end() error {
	if !p.json || p.follow {
		return nil
	}
	if p.all == nil {
		p.all = []string{}
	}
	return view.JSONValue(p.env.Stdout, p.all)
}

// tail gives each the lines of a log: from the host, or from the records while no supervisor runs and nothing is to be followed.
func (a *address) tail(ctx context.Context, q *operatorv1.TailLogsRequest, each func(lines []string, restarted bool) error) error {
	begun := false
	from := a.stream
	if q.GetFollow() {
		from = a.follow
	}
	err := from(ctx, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
		stream, err := op.TailLogs(ctx, q)
		if err != nil {
			return err
		}
		return receive(stream.Recv, func(answer *operatorv1.TailLogsResponse) error {
			begun = true
			return each(answer.GetLines(), answer.GetRestarted())
		})
	})
	state, kept := a.kept()
	if !nobody(err) || begun || q.GetFollow() || !kept {
		return err
	}
	_, _ = fmt.Fprintln(a.env.Stderr, "no supervisor answers: this is read from the records in "+view.Clean(state.Root))
	return tailDisk(a.env, state, q, each)
}

func tailDisk(env *Env, state layout.State, q *operatorv1.TailLogsRequest, each func([]string, bool) error) error {
	s, err := diskEither(onDisk(env, state), q.GetSessionId())
	if err != nil {
		return err
	}
	tail, err := records.Open(s.Dir, records.LogFile(q.GetSource()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed("%w", err)
	}
	defer tail.Close()
	if q.GetLines() > 0 {
		if err := tail.Last(int(q.GetLines())); err != nil {
			return failed("%w", err)
		}
	}
	for {
		lines, restarted, err := tail.Next()
		if err != nil {
			return failed("%w", err)
		}
		if len(lines) == 0 && !restarted {
			return each(tail.Rest(), false)
		}
		if err := each(lines, restarted); err != nil {
			return err
		}
	}
}
