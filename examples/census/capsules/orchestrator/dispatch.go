package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"rookery/examples/census/count"
	"rookery/examples/census/shard"
	murmur "rookery/sdk/go"
)

const (
	counter        = "counter"
	counterVersion = "0.1.0"
	// tries is how often a shard is given to a counter before it is given up.
	tries = 2
	// unsaid is how long to wait when nothing of ours runs and the host did not say when to ask again.
	unsaid = time.Second
)

// children is what the census needs of its host.
type children interface {
	Delegate(murmur.DelegateRequest) (murmur.Started, error)
	Await(murmur.AwaitRequest) (murmur.Awaited, error)
	Pause(time.Duration)
}

// host is the real one.
type host struct{}

func (host) Delegate(r murmur.DelegateRequest) (murmur.Started, error) { return murmur.Delegate(r) }
func (host) Await(r murmur.AwaitRequest) (murmur.Awaited, error)       { return murmur.Await(r) }
func (host) Pause(d time.Duration)                                     { time.Sleep(d) }

// work is one shard on its way.
type work struct {
	number int // from 1
	files  []string
	task   string
	tried  int
}

// dispatcher keeps as many counters busy as the host allows.
type dispatcher struct {
	host    children
	next    func() (shard.Task, error)
	waiting []*work // cut or come back, not with a counter
	running map[string]*work
	drained bool // next has no more

	report  count.Report
	shards  int
	retried int
	lost    []lost
}

func newDispatcher(host children, next func() (shard.Task, error)) *dispatcher {
	return &dispatcher{host: host, next: next, running: map[string]*work{}, report: count.Report{}}
}

// run returns when every shard is counted or lost, or with the reason why it had to stop before.
func (d *dispatcher) run() error {
	for {
		refusal, err := d.fill()
		if err != nil {
			return err
		}
		switch {
		case len(d.running) > 0:
			// With all shards out, or the host full, the next thing to happen is that a counter ends. Only a rate has
			// its own time.
			if err := d.collect(refusal); err != nil {
				return err
			}
		case refusal != nil:
			d.host.Pause(max(refusal.RetryAfter, unsaid))
		default:
			return nil
		}
	}
}

// fill starts counters until there is nothing to count or the host refuses for a while; that refusal is returned.
func (d *dispatcher) fill() (*murmur.Error, error) {
	for {
		w, err := d.take()
		if w == nil {
			return nil, err
		}
		w.tried++
		started, err := d.host.Delegate(murmur.DelegateRequest{Capsule: counter, Version: counterVersion, Task: w.task})
		var refusal *murmur.Error
		switch {
		case err == nil:
			d.running[started.DelegationID] = w
		case murmur.IsCode(err, murmur.ChildrenLimit, murmur.HostLimit, murmur.RateLimit) && errors.As(err, &refusal):
			w.tried--
			d.waiting = append(d.waiting, w)
			return refusal, nil
		case murmur.IsCode(err, murmur.Canceled, murmur.ShuttingDown):
			d.lose(w, err.Error())
			return nil, err
		default: // asking again would be answered the same
			d.lose(w, err.Error())
		}
	}
}

// take is the next shard to give out: one that came back, or a new one; nil when there is none.
func (d *dispatcher) take() (*work, error) {
	if n := len(d.waiting); n > 0 {
		w := d.waiting[n-1]
		d.waiting = d.waiting[:n-1]
		return w, nil
	}
	if d.drained {
		return nil, nil
	}
	task, err := d.next()
	if err != nil {
		return nil, err
	}
	if len(task.Files) == 0 {
		d.drained = true
		return nil, nil
	}
	text, err := task.Encode()
	if err != nil {
		return nil, err
	}
	d.shards++
	w := &work{number: d.shards, task: text}
	for _, file := range task.Files {
		w.files = append(w.files, file.Path)
	}
	return w, nil
}

// collect waits for counters to end, at least for one unless the refusal says to ask again earlier.
func (d *dispatcher) collect(refusal *murmur.Error) error {
	request := murmur.AwaitRequest{Delegations: slices.Sorted(maps.Keys(d.running)), Any: true}
	if refusal != nil {
		request.Timeout = refusal.RetryAfter
	}
	awaited, err := d.host.Await(request)
	if err != nil {
		return err
	}
	for _, outcome := range awaited.Outcomes {
		w, ours := d.running[outcome.DelegationID]
		if !ours {
			continue
		}
		delete(d.running, outcome.DelegationID)
		switch report, err := readAnswer(outcome, len(w.files)); {
		case err == nil:
			d.report.Merge(report)
		case w.tried < tries:
			d.retried++
			d.waiting = append(d.waiting, w)
		default:
			d.lose(w, err.Error())
		}
	}
	return nil
}

func (d *dispatcher) lose(w *work, cause string) {
	d.lost = append(d.lost, lost{Shard: w.number, Files: w.files, Cause: cause})
}

// readAnswer takes the report out of an outcome. A counter's word is checked as far as that is possible from here: it
// has to speak of as many files as it was given.
func readAnswer(o murmur.Outcome, files int) (count.Report, error) {
	switch {
	case o.Status != murmur.StatusOK:
		return nil, fmt.Errorf("counter %s: %s", o.Status, o.Detail)
	case o.Truncated:
		return nil, errors.New("counter's answer is too long and came cut")
	}
	var report count.Report
	if err := json.Unmarshal([]byte(o.Result), &report); err != nil {
		return nil, fmt.Errorf("counter's answer is no report: %w", err)
	}
	if counted := report.Total().Files; counted != files {
		return nil, fmt.Errorf("counter has counted %d files of %d", counted, files)
	}
	return report, nil
}
