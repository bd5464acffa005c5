package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

func TestCleanSpellsOutWhateverSteersATerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, cell, text string }{
		"plain text stays":                  {"counter 0.1.0 é 日本", "counter 0.1.0 é 日本", "counter 0.1.0 é 日本"},
		"an ANSI colour is spelled out":     {"\x1b[31mred", `\x1b[31mred`, `\x1b[31mred`},
		"a carriage return is spelled out":  {"ok\rbad", `ok\rbad`, `ok\rbad`},
		"lines stay in a text only":         {"a\n\tb", `a\n\tb`, "a\n\tb"},
		"a C1 control is spelled out":       {"\u009b2J", `\x9b2J`, `\x9b2J`},
		"right-to-left marks are shown":     {"a\u202eb", `a\u202eb`, `a\u202eb`},
		"zero-width characters are shown":   {"a\u200bb", `a\u200bb`, `a\u200bb`},
		"line separators are shown":         {"a\u2028b", `a\u2028b`, `a\u2028b`},
		"invalid UTF-8 becomes its bytes":   {"caf\xe9", `caf\xe9`, `caf\xe9`},
		"a delete character is spelled out": {"a\x7f", `a\x7f`, `a\x7f`},
		"tag characters are shown":          {"a\U000e0041", `a\U000e0041`, `a\U000e0041`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.cell, Clean(c.in))
			require.Equal(t, c.text, CleanText(c.in))
		})
	}
}

func FuzzCleanLeavesNothingThatSteers(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b]0;title\x07")
	f.Add("\xff\xfe\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		out := Clean(s)
		require.True(t, utf8.ValidString(out))
		for _, r := range out {
			require.False(t, unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), "%q holds %U", out, r)
		}
	})
}

func TestJSONUsesTheNamesOfTheAPIAndPlainNumbers(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []*operatorv1.Delegation{{
		DelegationId: "dlg_1", State: operatorv1.DelegationState_DELEGATION_STATE_RUNNING, DurationMs: 42, Detail: "a\nforged",
		StartedAt: timestamppb.New(time.Unix(1800000000, 0)),
	}}))
	out := b.String()
	require.Contains(t, out, `"delegation_id": "dlg_1"`)
	require.Contains(t, out, `"state": "running"`)
	require.Contains(t, out, `"duration_ms": 42`)
	require.Contains(t, out, `"detail": "a\nforged"`)
	require.Contains(t, out, `"started_at": "2027-01-15T08:00:00Z"`)
	require.Contains(t, out, `"ended_at": null`)
	require.True(t, strings.HasPrefix(out, "[\n"))

	b.Reset()
	require.NoError(t, JSON(&b, []*operatorv1.Delegation{}))
	require.Equal(t, "[]\n", b.String())
}

func TestATableKeepsOneLineARowWhateverACellHolds(t *testing.T) {
	t.Parallel()
	tab := NewTable("ID", "DETAIL")
	tab.Row("dlg_1", "exit 3")
	tab.Row("dlg_2", "forged\ndlg_9  fine")
	var b bytes.Buffer
	require.NoError(t, tab.Write(&b))
	require.Equal(t, "ID     DETAIL\ndlg_1  exit 3\ndlg_2  forged\\ndlg_9  fine\n", b.String())
}

func TestASpanIsOneUnit(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 12 * time.Millisecond: "12ms", 90 * time.Second: "90s", 3 * time.Minute: "3m", 5 * time.Hour: "5h", 72 * time.Hour: "3d",
	} {
		require.Equal(t, want, Span(d))
	}
}

func FuzzJSONSaysTheSameAndSteersNothing(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b[31m\u202e\u200b\x7f\u009b\U000e0041")
	f.Add("{\"forged\": true}\n]")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\uFFFD") // protobuf has no other strings
		var one, line, value bytes.Buffer
		require.NoError(t, JSONObject(&one, &operatorv1.Delegation{Detail: s}))
		require.NoError(t, JSONLine(&line, &operatorv1.Delegation{Detail: s}))
		require.NoError(t, JSONValue(&value, []string{s}))
		for _, out := range []string{one.String(), line.String(), value.String()} {
			for _, r := range strings.ReplaceAll(out, "\n", "") {
				require.False(t, unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp), "%q holds %U", out, r)
			}
		}
		require.Equal(t, 1, strings.Count(line.String(), "\n"))
		var read struct {
			Detail string `json:"detail"`
		}
		for _, raw := range [][]byte{one.Bytes(), line.Bytes()} {
			require.NoError(t, json.Unmarshal(raw, &read))
			require.Equal(t, s, read.Detail)
		}
		var list []string
		require.NoError(t, json.Unmarshal(value.Bytes(), &list))
		require.Equal(t, []string{s}, list)
	})
}

func TestALineKeepsItsTabsAndIsOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, `a	b\nforged`, CleanLine("a\tb\nforged"))
}
