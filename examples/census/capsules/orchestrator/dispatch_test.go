package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/examples/census/count"
	"rookery/examples/census/shard"
	murmur "rookery/sdk/go"
)

// table plays the host: it counts at once, releases outcomes at Await, and refuses and fails as it is told.
type table struct {
	t        *testing.T
	children int                                   // limit of live ones
	refuse   func(start int) *murmur.Error         // by number of the start, from 1
	fail     func(path string, try int) (bad bool) // by first file of the shard
	spoil    func(o *murmur.Outcome)               // changes what a counter said
	live     map[string]murmur.Outcome
	tries    map[string]int
	starts   int
	most     int
	pauses   []time.Duration
	timeouts []time.Duration
}

func (h *table) Delegate(r murmur.DelegateRequest) (murmur.Started, error) {
	if len(h.live) >= h.children {
		return murmur.Started{}, &murmur.Error{Op: "delegate", Code: murmur.ChildrenLimit, Limit: 4, Value: 4}
	}
	h.starts++
	if h.refuse != nil {
		if refusal := h.refuse(h.starts); refusal != nil {
			return murmur.Started{}, refusal
		}
	}
	task, err := shard.Decode(r.Task)
	require.NoError(h.t, err)
	report := count.Report{}
	for _, file := range task.Files {
		report.Count(file.Path, []byte(file.Text))
	}
	text, err := json.Marshal(report)
	require.NoError(h.t, err)
	o := murmur.Outcome{DelegationID: fmt.Sprintf("dlg_%04d", h.starts), Status: murmur.StatusOK, Result: string(text)}
	first := task.Files[0].Path
	h.tries[first]++
	if h.fail != nil && h.fail(first, h.tries[first]) {
		o = murmur.Outcome{DelegationID: o.DelegationID, Status: murmur.StatusCrashed, Detail: "signal: killed"}
	}
	if h.spoil != nil {
		h.spoil(&o)
	}
	h.live[o.DelegationID] = o
	h.most = max(h.most, len(h.live))
	return murmur.Started{DelegationID: o.DelegationID}, nil
}

func (h *table) Await(r murmur.AwaitRequest) (murmur.Awaited, error) {
	assert.True(h.t, r.Any)
	assert.NotEmpty(h.t, r.Delegations)
	h.timeouts = append(h.timeouts, r.Timeout)
	id := r.Delegations[len(r.Delegations)/2]
	o, lives := h.live[id]
	require.True(h.t, lives, "an outcome is waited for once")
	delete(h.live, id)
	return murmur.Awaited{Outcomes: []murmur.Outcome{o}}, nil
}

func (h *table) Pause(d time.Duration) { h.pauses = append(h.pauses, d) }

// folder has files of 64 KiB, so that each makes a shard.
func folder(shards int) (fs.FS, count.Report) {
	files, whole := fstest.MapFS{}, count.Report{}
	for i := range shards {
		name, text := fmt.Sprintf("%02d.go", i), []byte(strings.Repeat("// a\nfunc f() {\n}\n\n", 1<<16/19+1+i))
		files[name] = &fstest.MapFile{Data: text}
		whole.Count(name, text)
	}
	return files, whole
}

func take(t *testing.T, files fs.FS, h *table) (result, error) {
	t.Helper()
	h.t, h.live, h.tries = t, map[string]murmur.Outcome{}, map[string]int{}
	if h.children == 0 {
		h.children = 4
	}
	reader, err := shard.Open(files)
	require.NoError(t, err)
	d := newDispatcher(h, reader.Next)
	err = d.run()
	return d.result(reader.LeftOut()), err
}

func TestACensusKeepsTheChildrensLimitFullAndCountsEverything(t *testing.T) {
	t.Parallel()
	files, whole := folder(20)
	h := &table{}
	got, err := take(t, files, h)
	require.NoError(t, err)
	require.NoError(t, got.err())
	assert.Equal(t, whole, got.Languages)
	assert.Equal(t, 20, got.Shards)
	assert.Equal(t, 20, h.starts)
	assert.Equal(t, 4, h.most)
	assert.Empty(t, h.pauses)
}

func TestAnEmptyFolderIsACensusOfNothing(t *testing.T) {
	t.Parallel()
	got, err := take(t, fstest.MapFS{}, &table{})
	require.NoError(t, err)
	assert.True(t, got.Complete)
	assert.Zero(t, got.Total)
}

func TestAShardWhoseCounterCrashedIsCountedAgain(t *testing.T) {
	t.Parallel()
	files, whole := folder(10)
	got, err := take(t, files, &table{fail: func(_ string, try int) bool { return try == 1 }})
	require.NoError(t, err)
	assert.True(t, got.Complete)
	assert.Equal(t, whole, got.Languages)
	assert.Equal(t, 10, got.Retried)
}

func TestAShardThatFailsTwiceIsNamedAndTheRestIsCounted(t *testing.T) {
	t.Parallel()
	files, whole := folder(10)
	h := &table{fail: func(path string, _ int) bool { return path == "03.go" }}
	got, err := take(t, files, h)
	require.NoError(t, err)
	assert.False(t, got.Complete)
	require.EqualError(t, got.err(), "census: 1 of 10 shards are not counted")
	assert.Equal(t, []lost{{Shard: 4, Files: []string{"03.go"}, Cause: "counter crashed: signal: killed"}}, got.Lost)
	assert.Equal(t, 2, h.tries["03.go"])
	assert.Equal(t, whole.Total().Files-1, got.Total.Files)
	assert.Contains(t, got.String(), "not counted: shard 4 (03.go): counter crashed: signal: killed\n")
}

func TestAnAnswerIsNotBelievedWhen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*murmur.Outcome)
		cause string
	}{
		"it is no report":             {func(o *murmur.Outcome) { o.Result = "many" }, "counter's answer is no report"},
		"it came cut":                 {func(o *murmur.Outcome) { o.Truncated = true }, "counter's answer is too long and came cut"},
		"it speaks of too few files":  {func(o *murmur.Outcome) { o.Result = "{}" }, "counter has counted 0 files of 1"},
		"the counter ended otherwise": {func(o *murmur.Outcome) { o.Status, o.Detail = "error", "exit 3" }, "counter error: exit 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, _ := folder(1)
			got, err := take(t, files, &table{spoil: c.spoil})
			require.NoError(t, err)
			require.Len(t, got.Lost, 1)
			assert.Contains(t, got.Lost[0].Cause, c.cause)
		})
	}
}

func TestARateLimitIsWaitedOut(t *testing.T) {
	t.Parallel()
	files, whole := folder(6)
	h := &table{refuse: func(start int) *murmur.Error {
		if start == 1 || start == 4 {
			return &murmur.Error{Op: "delegate", Code: murmur.RateLimit, RetryAfter: 1500 * time.Millisecond}
		}
		return nil
	}}
	got, err := take(t, files, h)
	require.NoError(t, err)
	assert.Equal(t, whole, got.Languages)
	assert.Equal(t, []time.Duration{1500 * time.Millisecond}, h.pauses, "with no child of its own it sleeps")
	assert.Contains(t, h.timeouts, 1500*time.Millisecond, "with some it awaits them meanwhile")
	assert.Zero(t, got.Retried, "a refusal is no failure of the shard")
}

func TestAFullHostIsAskedAgain(t *testing.T) {
	t.Parallel()
	files, whole := folder(2)
	h := &table{refuse: func(start int) *murmur.Error {
		if start <= 3 {
			return &murmur.Error{Op: "delegate", Code: murmur.HostLimit}
		}
		return nil
	}}
	got, err := take(t, files, h)
	require.NoError(t, err)
	assert.Equal(t, whole, got.Languages)
	assert.Equal(t, []time.Duration{unsaid, unsaid, unsaid}, h.pauses)
}

func TestARefusalThatStaysLosesOnlyWhatItConcerns(t *testing.T) {
	t.Parallel()
	files, _ := folder(5)
	got, err := take(t, files, &table{refuse: func(start int) *murmur.Error {
		if start > 3 {
			return &murmur.Error{Op: "delegate", Code: murmur.TotalLimit, Message: "3 capsules started"}
		}
		return nil
	}})
	require.NoError(t, err)
	assert.Equal(t, 3, got.Total.Files)
	require.Len(t, got.Lost, 2)
	assert.Equal(t, "delegate: total_limit: 3 capsules started", got.Lost[0].Cause)
}

func TestAStoppedCensusLeavesWhatItHas(t *testing.T) {
	t.Parallel()
	files, _ := folder(8)
	h := &table{children: 2, refuse: func(start int) *murmur.Error {
		if start == 5 {
			return &murmur.Error{Op: "delegate", Code: murmur.Canceled}
		}
		return nil
	}}
	got, err := take(t, files, h)
	require.True(t, murmur.IsCode(err, murmur.Canceled))
	assert.False(t, got.Complete)
	assert.Equal(t, 3, got.Total.Files)
	require.Len(t, got.Lost, 2)
	assert.Equal(t, "the census was stopped", got.Lost[0].Cause)
}
