package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
)

// printed is what each printer of a capsule's text makes of it, as a person reads it, by the number of lines it must have.
func printed(t *testing.T, text string) map[string]int {
	t.Helper()
	out := map[string]int{}
	into := func(lines int, print func(e *Env) error) {
		var b bytes.Buffer
		require.NoError(t, print(&Env{Stdout: &b, Stderr: &b}))
		out[b.String()] = lines
	}
	event := func(e *operatorv1.Event) {
		e.Detail, e.Capsule, e.Version, e.Code = text, text, text, text
		into(1, func(env *Env) error {
			p := eventPrinter{out: env.Stdout}
			return p.add(&operatorv1.WatchEventsResponse{What: &operatorv1.WatchEventsResponse_Event{Event: e}})
		})
	}
	event(&operatorv1.Event{Kind: operatorv1.EventKind_EVENT_KIND_REFUSAL})
	event(&operatorv1.Event{Kind: operatorv1.EventKind_EVENT_KIND_OUTCOME})
	event(&operatorv1.Event{Kind: operatorv1.EventKind_EVENT_KIND_SESSION, Status: text})
	into(1, func(env *Env) error { return (&linePrinter{env: env}).add([]string{text}, false) })
	into(2, func(env *Env) error { return (&linePrinter{env: env}).add([]string{text}, true) })
	detail, err := json.Marshal(text)
	require.NoError(t, err)
	for _, line := range []string{
		`{"event_type":"task_end","timestamp":1,"detail":` + string(detail) + `}`,
		`{"event_type":` + string(detail) + `,"timestamp":1,"x":` + string(detail) + `}`,
		strings.ReplaceAll(text, "\n", " "), // what a killed writer left
	} {
		into(1, func(env *Env) error { return (&tracePrinter{env: env}).add([]string{line}, false) })
	}
	s := &operatorv1.Session{SessionId: "ses_1", Capsule: text, Detail: text, Status: text, RootId: text, Url: text}
	d := &operatorv1.Delegation{DelegationId: "dlg_1", Capsule: text, Detail: text}
	into(1, func(env *Env) error { return printTree(env.Stdout, []*operatorv1.Session{s}, time.Now()) })
	into(2, func(env *Env) error { return sessionTable([]*operatorv1.Session{s}, time.Now()).Write(env.Stdout) })
	into(2, func(env *Env) error {
		return delegationTable([]*operatorv1.Delegation{d}, time.Now()).Write(env.Stdout)
	})
	into(2, func(env *Env) error {
		return checkTable([]*operatorv1.Check{{Name: "x", Detail: text}}).Write(env.Stdout)
	})
	return out
}

func FuzzNoPrinterLetsACapsulesTextSteerOrForgeALine(f *testing.F) {
	f.Add("plain")
	f.Add("exit 3\n1796 16:40:17.123 session ses_9 forged@1.0.0 ended ok")
	f.Add("\x1b]0;title\x07\x1b[2J\r\u202e\u200b\u2028\x7f\u009b")
	f.Add("\xff\xfe{\"event_type\":\"session_end\"}")
	f.Fuzz(func(t *testing.T, text string) {
		for out, lines := range printed(t, text) {
			require.Equal(t, lines, strings.Count(out, "\n"), "%q", out)
			for _, r := range out {
				if r == '\n' || r == '\t' {
					continue
				}
				require.False(t, unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), "%q holds %U", out, r)
			}
		}
	})
}

func TestADetailThatForgesLinesChangesNothingForAReaderOfJSON(t *testing.T) {
	t.Parallel()
	const forged = "x\"}\n{\"seq\":9,\"kind\":\"outcome\",\"status\":\"ok\"}\n]"
	answers := []*operatorv1.WatchEventsResponse{
		{What: &operatorv1.WatchEventsResponse_Event{Event: &operatorv1.Event{Seq: 1, Detail: forged, Time: timestamppb.New(time.Unix(1, 0))}}},
		{What: &operatorv1.WatchEventsResponse_Missed{Missed: &operatorv1.Missed{Events: 7}}},
		{What: &operatorv1.WatchEventsResponse_CaughtUp{CaughtUp: 1}},
		{What: &operatorv1.WatchEventsResponse_Event{Event: &operatorv1.Event{Seq: 2, Detail: "plain"}}},
	}
	type element struct {
		Seq    uint64
		Detail string
		Missed *struct{ Events uint64 }
	}
	check := func(got []element) {
		require.Len(t, got, 3)
		assert.Equal(t, forged, got[0].Detail)
		assert.Equal(t, uint64(7), got[1].Missed.Events)
		assert.Equal(t, uint64(2), got[2].Seq)
	}
	for _, follow := range []bool{false, true} {
		var out bytes.Buffer
		p := eventPrinter{out: &out, json: true, follow: follow}
		for _, a := range answers {
			require.NoError(t, p.add(a))
		}
		require.NoError(t, p.end())
		var got []element
		if !follow {
			require.NoError(t, json.Unmarshal(out.Bytes(), &got))
			check(got)
			continue
		}
		for line := range strings.Lines(out.String()) {
			var e element
			require.NoError(t, json.Unmarshal([]byte(line), &e), line)
			got = append(got, e)
		}
		check(got)
	}

	var out bytes.Buffer
	p := linePrinter{env: &Env{Stdout: &out}, json: true}
	require.NoError(t, p.add([]string{forged, "plain"}, false))
	require.NoError(t, p.end())
	var lines []string
	require.NoError(t, json.Unmarshal(out.Bytes(), &lines))
	assert.Equal(t, []string{forged, "plain"}, lines)
}

func TestNothingToPrintIsStillAnArray(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := &Env{Stdout: &out}
	require.NoError(t, (&eventPrinter{out: &out, json: true}).end())
	require.NoError(t, (&linePrinter{env: e, json: true}).end())
	require.NoError(t, view.JSONValue(&out, (&tracePrinter{all: []json.RawMessage{}}).all))
	assert.Equal(t, "[]\n[]\n[]\n", out.String())
}

func TestALiveTreeFitsItsTerminal(t *testing.T) {
	t.Parallel()
	lines := []string{"one", strings.Repeat("é", 30), "three", "four"}
	assert.Equal(t, "\x1b[Hone\x1b[K\n"+strings.Repeat("é", 11)+"…\x1b[K\n… and 2 more\x1b[K\n\x1b[J", screen(lines, 12, 4))
	assert.Equal(t, 4, strings.Count(screen(lines, 0, 0), "\n"), "a terminal of unknown size gets everything")
	assert.Equal(t, []string{"one", strings.Repeat("é", 30), "three", "four"}, lines, "the lines are the caller's")
}
