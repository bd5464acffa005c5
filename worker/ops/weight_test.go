package ops

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	hostv1 "rookery/proto/rookery/host/v1"
)

func TestMessagesThatAreKeptForAGuestHoldSoMuchAndNoMore(t *testing.T) {
	t.Parallel()
	e := NewEvents()
	long := strings.Repeat("x", 1<<20)
	e.Arrived(&hostv1.ReleasedOutcome{Seq: 1, Outcome: &hostv1.Outcome{DelegationId: "dlg_1"}})
	for range 40 {
		e.add(event{Kind: kindInput, Input: &inputAnswer{Text: long, Parts: []inputPart{{Text: &long}}}})
	}
	events, _ := e.after(0)
	assert.Equal(t, kindOutcome, events[0].Kind, "an outcome is never forgotten")
	assert.Len(t, events, 1+maxPassingBytes/(2<<20))
	assert.EqualValues(t, 41, events[len(events)-1].Seq, "the newest is there")

	heavier := strings.Repeat("x", maxPassingBytes+1)
	e.add(event{Kind: kindInput, Input: &inputAnswer{Text: heavier}})
	events, _ = e.after(0)
	assert.Len(t, events, 2, "one that is heavier than all may be is kept alone")
	for range maxPassing + 10 {
		e.Progressed(&hostv1.ChildProgress{DelegationId: "dlg_1", Message: "step"})
	}
	events, _ = e.after(0)
	assert.Len(t, events, 1+maxPassing)
}
