package delegation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

func TestDecideGivesEveryEndItsOneStatus(t *testing.T) {
	t.Parallel()
	ok := &own{status: outcome.OK}
	failed := &own{status: outcome.Error, detail: "exit 3"}
	killed := &ledger.Cause{Kind: ledger.CauseOperator, Status: outcome.Terminated, Detail: "ended by an operator: slow", By: "operator", Tell: true}
	byParent := &ledger.Cause{Kind: ledger.CauseParent, Status: outcome.Terminated, Detail: "ended by the parent", By: "parent"}
	for name, c := range map[string]struct {
		in   evidence
		want verdict
	}{
		"a child's own record stands": {
			evidence{record: ok, death: "exit status 0"},
			verdict{status: outcome.OK, reportedBy: outcome.Child, tell: true},
		},
		"a child's own failure keeps its detail": {
			evidence{record: failed, death: "exit status 0"},
			verdict{status: outcome.Error, detail: "exit 3", reportedBy: outcome.Child, tell: true},
		},
		"a record that was there before the cause stands": {
			evidence{record: ok, cause: killed, stood: true, death: "signal: killed"},
			verdict{status: outcome.OK, reportedBy: outcome.Child, tell: true},
		},
		"a record that came after the cause does not count": {
			evidence{record: ok, cause: killed, death: "exit status 0"},
			verdict{status: outcome.Terminated, detail: "ended by an operator: slow", reportedBy: outcome.Launcher, killedBy: "operator", tell: true},
		},
		"a cause without a record decides": {
			evidence{cause: killed, death: "signal: killed"},
			verdict{status: outcome.Terminated, detail: "ended by an operator: slow", reportedBy: outcome.Launcher, killedBy: "operator", tell: true},
		},
		"an end by the parent is told to nobody": {
			evidence{cause: byParent, death: "exit status 69"},
			verdict{status: outcome.Terminated, detail: "ended by the parent", reportedBy: outcome.Launcher, killedBy: "parent"},
		},
		"a death without a record or a cause is a crash": {
			evidence{death: "signal: killed"},
			verdict{status: outcome.Crashed, detail: "signal: killed", reportedBy: outcome.Launcher, tell: true},
		},
		"an exit of 0 without a record is a crash too": {
			evidence{death: "exit status 0"},
			verdict{status: outcome.Crashed, detail: "exit status 0", reportedBy: outcome.Launcher, tell: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, decide(c.in))
		})
	}
}

func TestDecideBoundsWhateverDetailItTakesOver(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", outcome.MaxDetailBytes)
	for _, e := range []evidence{
		{record: &own{status: outcome.Error, detail: long, unheard: long}},
		{cause: &ledger.Cause{Status: outcome.Terminated, Detail: long}},
		{death: long},
	} {
		got := decide(e).detail
		require.LessOrEqual(t, len(got), outcome.MaxDetailBytes+len(" […]"))
		require.True(t, strings.HasSuffix(got, " […]"))
	}
}
