package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/reflect/protoreflect"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

// eventKinds are the words of --kind.
var eventKinds = []string{"session", "delegation", "outcome", "refusal", "host", "root"}

func newEvents(env *Env, at *address) *cobra.Command {
	var out output
	var follow bool
	var kinds []string
	q := &operatorv1.WatchEventsRequest{}
	c := &cobra.Command{
		Use:   "events",
		Short: "Show what happened on the host, or follow it",
		Long: "Shows the latest events of a running host (it keeps some thousand), and with -f goes on with what happens. Every event has a number,\n" +
			"seq; --after resumes behind one, also after the host was started anew. What was missed is said. -o json gives an array, with -f one\n" +
			`object a line; what was missed is an object {"missed": {…}} among them.`,
		Example: "  supervisor events\n  supervisor events -f --kind outcome --kind refusal\n  supervisor events -f --after 1796057597012 --session 4f2a -o json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := out.json(env)
			if err != nil {
				return err
			}
			if q.Kinds, err = kindsOf(kinds); err != nil {
				return err
			}
			q.UntilNow = !follow
			p := &eventPrinter{out: env.Stdout, json: asJSON, follow: follow}
			stream := at.stream
			if follow {
				stream = at.follow
			}
			err = stream(c.Context(), func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
				return watch(ctx, op, q, p.add)
			})
			if err != nil {
				return err
			}
			if follow {
				_, _ = fmt.Fprintln(env.Stderr, "the supervisor has stopped")
			}
			return p.end()
		},
	}
	out.flag(c)
	f := c.Flags()
	f.BoolVarP(&follow, "follow", "f", false, "go on with what happens")
	f.Uint64Var(&q.After, "after", 0, "only events behind this seq")
	f.StringSliceVar(&kinds, "kind", nil, "only these kinds: "+strings.Join(eventKinds, ", "))
	f.StringVar(&q.SessionId, "session", "", "only events of this session, what it delegated and, for a root, all beneath it")
	words(c, "kind", eventKinds...)
	return c
}

func kindsOf(words []string) ([]operatorv1.EventKind, error) {
	var kinds []operatorv1.EventKind
	for _, w := range words {
		n, ok := operatorv1.EventKind_value["EVENT_KIND_"+strings.ToUpper(w)]
		if !ok || n == 0 {
			return nil, usage("--kind %s: the kinds are %s", w, strings.Join(eventKinds, ", "))
		}
		kinds = append(kinds, operatorv1.EventKind(n))
	}
	return kinds, nil
}

// watch gives each answer of the stream until it ends.
func watch(ctx context.Context, op operatorv1.OperatorServiceClient, q *operatorv1.WatchEventsRequest, each func(*operatorv1.WatchEventsResponse) error) error {
	stream, err := op.WatchEvents(ctx, q)
	if err != nil {
		return err
	}
	return receive(stream.Recv, each)
}

// receive gives each answer of a stream until it ends.
func receive[T any](next func() (T, error), each func(T) error) error {
	answer, err := next()
	for ; !errors.Is(err, io.EOF); answer, err = next() {
		if err != nil {
			return err
		}
		if err := each(answer); err != nil {
			return err
		}
	}
	return nil
}

// eventPrinter prints events in one of their forms.
type eventPrinter struct {
	out          io.Writer
	json, follow bool
	begun        bool // the array has an element
}

func (p *eventPrinter) add(answer *operatorv1.WatchEventsResponse) error {
	var err error
	switch what := answer.GetWhat().(type) {
	case *operatorv1.WatchEventsResponse_Event:
		err = p.print(what.Event, eventLine(what.Event))
	case *operatorv1.WatchEventsResponse_Missed:
		err = p.printMissed(what.Missed)
	}
	if err != nil {
		return failed("%w", err)
	}
	return nil
}

func (p *eventPrinter) print(e *operatorv1.Event, line string) error {
	if !p.json {
		_, err := fmt.Fprintln(p.out, view.Clean(line))
		return err
	}
	if err := p.separate(); err != nil {
		return err
	}
	return view.JSONLine(p.out, e)
}

func (p *eventPrinter) printMissed(m *operatorv1.Missed) error {
	if !p.json {
		_, err := fmt.Fprintln(p.out, "-- "+missedText(m)+" --")
		return err
	}
	if err := p.separate(); err != nil {
		return err
	}
	return view.JSONValueLine(p.out, map[string]any{"missed": map[string]any{"events": m.GetEvents(), "restarted": m.GetRestarted()}})
}

// separate stands before each element of the array.
func (p *eventPrinter) separate() error {
	if p.follow {
		return nil
	}
	mark := ","
	if !p.begun {
		p.begun, mark = true, "["
	}
	_, err := io.WriteString(p.out, mark)
	return err
}

// end closes the array.
func (p *eventPrinter) end() error {
	if !p.json || p.follow {
		return nil
	}
	mark := "]\n"
	if !p.begun {
		mark = "[]\n"
	}
	_, err := io.WriteString(p.out, mark)
	return err
}

func missedText(m *operatorv1.Missed) string {
	if m.GetRestarted() {
		return "the supervisor was started anew: you missed what the one before it told after that seq"
	}
	return fmt.Sprintf("you missed %d events", m.GetEvents())
}

// eventLine is an event as a person reads it.
func eventLine(e *operatorv1.Event) string {
	line := fmt.Sprintf("%d %s %s", e.GetSeq(), e.GetTime().AsTime().Local().Format("15:04:05.000"), kindWord(e.GetKind()))
	what := e.GetCapsule()
	if e.GetVersion() != "" {
		what += "@" + e.GetVersion()
	}
	switch e.GetKind() {
	case operatorv1.EventKind_EVENT_KIND_HOST:
		line += " " + e.GetState()
		if e.GetDetail() != "" {
			line += " (" + e.GetDetail() + ")"
		}
		return line
	case operatorv1.EventKind_EVENT_KIND_ROOT:
		line += " " + e.GetRootId()
	case operatorv1.EventKind_EVENT_KIND_REFUSAL:
		line += fmt.Sprintf(" %s asked for %s: %s: %s", e.GetSessionId(), what, e.GetCode(), e.GetDetail())
		if e.GetDropped() > 0 {
			line += fmt.Sprintf(" (and %d more)", e.GetDropped())
		}
		return line
	case operatorv1.EventKind_EVENT_KIND_SESSION:
		line += " " + e.GetSessionId()
	default:
		line += " " + e.GetDelegationId()
	}
	line += " " + what
	for _, word := range []string{e.GetState(), e.GetStatus()} {
		if word != "" {
			line += " " + word
		}
	}
	if e.GetKind() == operatorv1.EventKind_EVENT_KIND_OUTCOME {
		line += fmt.Sprintf(" after %d ms, answer: %s", e.GetOutcome().GetDurationMs(), e.GetOutcome().GetResultState())
	}
	if e.GetDetail() != "" {
		line += " (" + e.GetDetail() + ")"
	}
	return line
}

func kindWord(k operatorv1.EventKind) string {
	return view.Word(k.Descriptor(), protoreflect.EnumNumber(k))
}
