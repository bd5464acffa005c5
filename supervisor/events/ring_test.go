package events_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/events"
)

const kept = 4096

// start is when the ring of these tests begins: its first event has the seq 1001.
var start = time.UnixMilli(1000)

func filled(n int) *events.Ring {
	r := events.New(start)
	for i := range n {
		r.Add(&operatorv1.Event{SessionId: fmt.Sprint(i)})
	}
	return r
}

// drain reads until there is nothing more.
func drain(t *testing.T, reader *events.Reader) (seqs []uint64, missed events.Missed) {
	t.Helper()
	for {
		batch, m, _, _ := reader.Read()
		missed.Events += m.Events
		missed.Restarted = missed.Restarted || m.Restarted
		if len(batch) == 0 {
			return seqs, missed
		}
		for _, e := range batch {
			seqs = append(seqs, e.GetSeq())
		}
	}
}

func TestAReaderGetsEveryEventOnceAndInOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		added       int
		after       uint64
		first, last uint64
		missed      events.Missed
	}{
		"from the beginning":                     {10, 0, 1001, 1010, events.Missed{}},
		"behind the last one seen":               {10, 1004, 1005, 1010, events.Missed{}},
		"behind the latest: nothing":             {10, 1010, 0, 0, events.Missed{}},
		"just as many as are kept":               {kept, 0, 1001, 1000 + kept, events.Missed{}},
		"older ones are gone, and none asked":    {kept + 50, 0, 1051, 1050 + kept, events.Missed{}},
		"what was asked for is gone":             {kept + 50, 1010, 1051, 1050 + kept, events.Missed{Events: 40}},
		"the first kept one is the next":         {kept + 50, 1050, 1051, 1050 + kept, events.Missed{}},
		"another supervisor's number":            {3, 12, 1001, 1003, events.Missed{Restarted: true}},
		"the last possible of the one before":    {3, 999, 1001, 1003, events.Missed{Restarted: true}},
		"a number that nobody was given yet":     {3, 5000, 0, 0, events.Missed{}},
		"an empty ring and nothing seen":         {0, 0, 0, 0, events.Missed{}},
		"an empty ring and another's number":     {0, 17, 0, 0, events.Missed{Restarted: true}},
		"the base of this one: all of its own":   {2, 1000, 1001, 1002, events.Missed{}},
		"many more than are kept, from the base": {3 * kept, 1000, 1001 + 2*kept, 1000 + 3*kept, events.Missed{Events: 2 * kept}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seqs, missed := drain(t, filled(test.added).From(test.after))
			assert.Equal(t, test.missed, missed)
			if test.first == 0 {
				assert.Empty(t, seqs)
				return
			}
			require.Len(t, seqs, int(test.last-test.first+1))
			for i, seq := range seqs {
				require.Equal(t, test.first+uint64(i), seq)
			}
		})
	}
}

func TestAReaderThatFallsBehindIsToldHowManyItMissed(t *testing.T) {
	t.Parallel()
	r := filled(5)
	reader := r.From(0)
	seqs, missed := drain(t, reader)
	require.Len(t, seqs, 5)
	require.Zero(t, missed)
	assert.Equal(t, uint64(1005), reader.At())
	for range kept + 7 {
		r.Add(&operatorv1.Event{})
	}
	seqs, missed = drain(t, reader)
	assert.Equal(t, events.Missed{Events: 7}, missed)
	assert.Len(t, seqs, kept)
	assert.Equal(t, r.Latest(), reader.At())
}

func TestAReaderIsWokenByTheNextEventAndByTheEnd(t *testing.T) {
	t.Parallel()
	r := filled(0)
	assert.Zero(t, r.Latest())
	reader := r.From(0)
	batch, _, more, open := reader.Read()
	assert.Empty(t, batch)
	assert.True(t, open)
	r.Add(&operatorv1.Event{})
	<-more
	r.Add(&operatorv1.Event{})
	r.Close()
	r.Close()
	r.Add(&operatorv1.Event{})
	batch, _, more, open = reader.Read()
	assert.Len(t, batch, 2, "what was kept before the end is read")
	assert.False(t, open)
	<-more
}

func TestTheRingOfALaterSupervisorGoesOnAboveTheOneBefore(t *testing.T) {
	t.Parallel()
	first := events.New(time.UnixMilli(1_796_000_000_000))
	for range 200 {
		first.Add(&operatorv1.Event{})
	}
	second := events.New(time.UnixMilli(1_796_000_001_000))
	second.Add(&operatorv1.Event{})
	assert.Greater(t, second.Latest(), first.Latest())
}

func TestRefusalsOfOneSessionDoNotFillTheRing(t *testing.T) {
	t.Parallel()
	r := events.New(start)
	refusals := events.NewRefusals(r)
	for range 10_000 {
		refusals.Add("ses_1", "ses_0", "worker", "0.1.0", "rate_limit", "too fast")
	}
	refusals.Add("ses_1", "ses_0", "worker", "0.1.0", "depth_limit", "too deep")
	refusals.Add("ses_2", "ses_0", "worker", "0.1.0", "rate_limit", "too fast")
	got, _, _, _ := r.From(0).Read()
	assert.LessOrEqual(t, len(got), 5+2+3, "a burst, others', and what a slow machine adds")
	codes := map[string]bool{}
	for _, e := range got {
		assert.Equal(t, operatorv1.EventKind_EVENT_KIND_REFUSAL, e.GetKind())
		codes[e.GetSessionId()+" "+e.GetCode()] = true
	}
	assert.Len(t, codes, 3, "another session and another code are heard")
}

func TestWhatACapsuleWroteIsCutInARefusal(t *testing.T) {
	t.Parallel()
	r := events.New(start)
	long := ""
	for range 1000 {
		long += "é\xff"
	}
	events.NewRefusals(r).Add("ses_1", "ses_1", long, long, "unknown_capsule", long)
	got, _, _, _ := r.From(0).Read()
	require.Len(t, got, 1)
	for what, text := range map[string]string{"capsule": got[0].GetCapsule(), "version": got[0].GetVersion(), "detail": got[0].GetDetail()} {
		assert.Less(t, len(text), 1300, what)
		assert.Contains(t, text, "…")
		assert.NotContains(t, text, "\xff")
	}
}
