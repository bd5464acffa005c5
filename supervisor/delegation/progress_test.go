package delegation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/supervisor/ledger"
)

func listen(fs *feeds, session string) (*Feed, func()) {
	f := &Feed{feeds: fs, pending: map[string]Progress{}, ready: make(chan struct{}, 1)}
	return f, fs.open(session, f)
}

func word(id, message string, at int64) Progress {
	return Progress{DelegationID: id, Message: message, At: time.UnixMilli(at)}
}

// rows are delegations that run, but for those given.
func rows(ended ...ledger.Delegation) func(string) (ledger.Delegation, bool) {
	return func(id string) (ledger.Delegation, bool) {
		for _, d := range ended {
			if d.ID == id {
				return d, true
			}
		}
		return ledger.Delegation{ID: id, State: ledger.Running}, id != "dlg_unknown"
	}
}

func said(all []Progress) []string {
	list := []string{}
	for _, p := range all {
		list = append(list, p.DelegationID+" "+p.Message)
	}
	return list
}

func TestAListenerThatIsLateHearsTheLastWordOfEachChild(t *testing.T) {
	t.Parallel()
	fs := newFeeds()
	f, stop := listen(fs, "ses_1")
	defer stop()
	for i, message := range []string{"one", "two", "three"} {
		fs.tell("ses_1", word("dlg_b", message, int64(i)))
	}
	fs.tell("ses_1", word("dlg_a", "begun", 1))
	fs.tell("ses_2", word("dlg_c", "another's child", 1))
	<-f.Ready()
	require.Equal(t, []string{"dlg_a begun", "dlg_b three"}, said(f.Take(rows(), 0)))
	require.Empty(t, f.Take(rows(), 0), "taken once")
	require.Empty(t, f.Ready())
}

func TestNothingIsSaidOfAChildWhoseOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	fs := newFeeds()
	f, stop := listen(fs, "ses_1")
	defer stop()
	for _, id := range []string{"dlg_told", "dlg_out", "dlg_runs", "dlg_unknown"} {
		fs.tell("ses_1", word(id, "word", 1))
	}
	ended := rows(ledger.Delegation{ID: "dlg_told", State: ledger.Ended, Seq: 4}, ledger.Delegation{ID: "dlg_out", State: ledger.Ended, Seq: 5})
	require.Equal(t, []string{"dlg_out word", "dlg_runs word"}, said(f.Take(ended, 4)))
}

func TestWhoListensNoLongerHoldsNothing(t *testing.T) {
	t.Parallel()
	fs := newFeeds()
	first, stopFirst := listen(fs, "ses_1")
	second, stopSecond := listen(fs, "ses_1")
	stopFirst()
	fs.tell("ses_1", word("dlg_a", "word", 1))
	require.Empty(t, first.Take(rows(), 0))
	require.Len(t, second.Take(rows(), 0), 1)
	stopSecond()
	fs.tell("ses_1", word("dlg_a", "word", 1))
	require.Empty(t, fs.of)
}
