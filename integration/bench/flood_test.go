package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// BenchmarkFlood is what one capsule feels of another that does something without a pause: its rows are its own `delegate`.
//
//	spin  the other computes, and keeps a processor busy: the baseline of all that follow
//	host  it asks the supervisor for children, which are refused
//	log   it writes lines to its log
//	card  eight connections from outside ask its door for its card, which it has by itself
//	door  they tell its door that a child has ended, which it asks the supervisor about
//
// The row quiet is without another; card is the baseline of door: the connections and the door take most of the processors, whatever is asked. A row lasts a third of a second for each round, so `-benchtime 180x` makes them a minute each. The rows
// grown-… are the supervisor behind each.
func BenchmarkFlood(b *testing.B) {
	n, err := rounds()
	require.NoError(b, err)
	lasts := time.Duration(n) * time.Second / 3
	probe := newProbe(b)
	h := probe.up(b, roomy())
	r := newRows()
	var f figures
	ended(b, h, launch(b, h, "widow", task(warmUps, "silent-ok")))
	for _, row := range []struct{ name, capsule string }{
		{"quiet", "sleep"}, {"spin", "spin"}, {"host", "knock"}, {"log", "chatter"}, {"card", "sleep"}, {"door", "sleep"},
	} {
		before, event := probe.ask(b, h), latest(b, h)
		forgetPeak(b, h.PID())
		other := launch(b, h, row.capsule, "")
		rung := func() int64 { return 0 }
		if ask := outside[row.name]; ask != nil {
			rung = knocks(b, running(b, h, 1)[0], ask) // which has its address by now
		}
		widow := launch(b, h, "widow", task(1_000_000, "silent-ok"))
		late := time.Now().Add(lasts)
		rig.Until(b, lasts+bound, "the row has lasted", func() bool { return time.Now().After(late) })
		m := memoryOf(b, h.PID())
		rings := rung()
		require.True(b, rings > 0 || outside[row.name] == nil, "the door has never answered")
		stop(b, h, widow)
		stop(b, h, other)
		delegates := 0
		for _, took := range starts(b, widow) {
			r.add(row.name, took)
			delegates++
		}
		after := probe.ask(b, h)
		f.memory("grown-"+row.name, m)
		f.set("grown-"+row.name, "delegates", float64(delegates))
		f.set("grown-"+row.name, "rings", float64(rings))
		f.set("grown-"+row.name, "events", float64(latest(b, h)-event))
		f.set("grown-"+row.name, "heap-kB-each", float64(after.Heap-before.Heap)/1e3/float64(delegates))
		f.set("grown-"+row.name, "goroutines", float64(after.Goroutines-before.Goroutines))
		f.set("grown-"+row.name, "descriptors", float64(after.descriptors-before.descriptors))
	}
	r.report(b, map[string]string{"spin": "quiet", "host": "spin", "log": "spin", "card": "spin", "door": "card"})
	f.report(b)
}

// starts are the times that each `delegate` of a widow took.
func starts(b *testing.B, widow *operatorv1.Session) (took []time.Duration) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(widow.GetRecordsDir(), layout.GuestStderrLog))
	require.NoError(b, err)
	for line := range bytes.Lines(text) {
		var id string
		var d, at int64
		if _, err := fmt.Sscan(string(line), &id, &d, &at); err == nil && bytes.HasSuffix(line, []byte("\n")) {
			took = append(took, time.Duration(d))
		}
	}
	require.NotEmpty(b, took, "%s has delegated nothing", widow.GetSessionId())
	return took
}

// atOnce is how many knock at a door.
const atOnce = 8

// latest is the number of a host's latest event.
func latest(b *testing.B, h *rig.Host) uint64 {
	b.Helper()
	answer, err := h.API.GetHost(b.Context(), &operatorv1.GetHostRequest{})
	require.NoError(b, err)
	return answer.GetLatestEvent()
}

// knocks asks something of a session's door without a pause until the caller says stop, who is told how often it answered.
func knocks(b *testing.B, session *operatorv1.Session, ask func(context.Context, *operatorv1.Session) (*http.Request, error)) (stop func() int64) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var knocking sync.WaitGroup
	var answered atomic.Int64
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	knock := func() error {
		request, err := ask(ctx, session)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return err
	}
	for range atOnce {
		knocking.Go(func() {
			for ctx.Err() == nil {
				if knock() == nil { // a door without room for it refuses
					answered.Add(1)
				}
			}
		})
	}
	return func() int64 {
		cancel()
		knocking.Wait()
		client.CloseIdleConnections()
		return answered.Load()
	}
}

// outside is what the rows of a door ask of it.
var outside = map[string]func(context.Context, *operatorv1.Session) (*http.Request, error){
	"card": func(ctx context.Context, session *operatorv1.Session) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, session.GetUrl()+"/.well-known/agent-card.json", nil)
	},
	"door": func(ctx context.Context, session *operatorv1.Session) (*http.Request, error) {
		body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, session.GetUrl()+"/", strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "A2A-Version": "1.0", "x-murmur-task-origin": "completion",
			"x-murmur-delegation-id": "dlg_00000000000000000000000000000000", "x-murmur-completion-session": session.GetSessionId(),
		} {
			request.Header.Set(name, value)
		}
		return request, nil
	},
}
