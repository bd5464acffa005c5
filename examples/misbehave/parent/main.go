// Parent does what its task says, as JSON, and answers with everything it was told, in order:
//
//	{"delegations": [{"capsule": "trap"}, {"capsule": "nap", "count": 3}], "await": "all"}
//
// A delegation has capsule, version (0.1.0), task, wait, deadline_secs, request_key, count (how often it is made, 1) and
// end (end it as soon as it runs). await is "all" (the default), "any" (again and again, until none is left), "twice"
// (all, two times: the second is told the same) or "none"; timeout_secs bounds each wait.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"rookery/examples/misbehave/told"
	murmur "rookery/sdk/go"
)

type plan struct {
	Delegations []delegation `json:"delegations"`
	Await       string       `json:"await"`
	TimeoutSecs float64      `json:"timeout_secs"`
}

type delegation struct {
	Capsule      string  `json:"capsule"`
	Version      string  `json:"version"`
	Task         string  `json:"task"`
	Wait         bool    `json:"wait"`
	DeadlineSecs float64 `json:"deadline_secs"`
	RequestKey   string  `json:"request_key"`
	Count        int     `json:"count"`
	End          bool    `json:"end"`
}

type report struct {
	Delegations []made  `json:"delegations"`
	Awaits      []await `json:"awaits"`
}

// made is what came of one delegation: it was started, or with wait its outcome is there, or it was refused.
type made struct {
	Capsule string          `json:"capsule"`
	Started *murmur.Started `json:"started,omitempty"`
	Outcome *murmur.Outcome `json:"outcome,omitempty"` // of wait or end
	Refused *told.Refusal   `json:"refused,omitempty"`
}

type await struct {
	murmur.Awaited
	Refused *told.Refusal `json:"refused,omitempty"`
}

func main() { murmur.Main(answer) }

func answer(task string) (string, error) {
	p, err := read(task)
	if err != nil {
		return "", err
	}
	r := report{Delegations: []made{}, Awaits: []await{}}
	for _, d := range p.Delegations {
		for range d.Count {
			r.Delegations = append(r.Delegations, d.make())
		}
	}
	switch p.Await {
	case "all":
		r.all(p)
	case "twice":
		r.all(p)
		r.all(p)
	case "any":
		r.any(p)
	}
	return told.Answer(r)
}

// read refuses what it does not know: a slip in a test's task must not pass for a success.
func read(task string) (plan, error) {
	p := plan{Await: "all"}
	dec := json.NewDecoder(bytes.NewReader([]byte(task)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return plan{}, fmt.Errorf("task: %w", err)
	}
	switch p.Await {
	case "all", "any", "twice", "none":
	default:
		return plan{}, fmt.Errorf("task: await is %q, not one of all, any, twice, none", p.Await)
	}
	for i := range p.Delegations {
		d := &p.Delegations[i]
		if d.Version == "" {
			d.Version = "0.1.0"
		}
		d.Count = max(d.Count, 1)
	}
	return p, nil
}

func (d delegation) make() made {
	m := made{Capsule: d.Capsule}
	request := murmur.DelegateRequest{
		Capsule: d.Capsule, Version: d.Version, Task: d.Task, Deadline: duration(d.DeadlineSecs), RequestKey: d.RequestKey,
	}
	if d.Wait {
		outcome, err := murmur.DelegateAndWait(request)
		return m.ended(outcome, err)
	}
	started, err := murmur.Delegate(request)
	if err != nil {
		m.Refused = told.Refused(err)
		return m
	}
	m.Started = &started
	if d.End {
		outcome, err := murmur.EndDelegation(started.DelegationID)
		return m.ended(outcome, err)
	}
	return m
}

func (m made) ended(outcome murmur.Outcome, err error) made {
	if err != nil {
		m.Refused = told.Refused(err)
		return m
	}
	m.Outcome = &outcome
	return m
}

// all awaits every delegation, in as many answers as the outcomes need.
func (r *report) all(p plan) {
	request := murmur.AwaitRequest{Timeout: duration(p.TimeoutSecs)}
	for {
		a := r.await(request)
		if a.Refused != nil || a.Next == 0 {
			return
		}
		request.After = a.Next
	}
}

// any awaits the next outcome until none is outstanding or nothing came in time.
func (r *report) any(p plan) {
	running := map[string]bool{}
	for _, m := range r.Delegations {
		if m.Started != nil && m.Outcome == nil {
			running[m.Started.DelegationID] = true
		}
	}
	for len(running) > 0 {
		request := murmur.AwaitRequest{Any: true, Timeout: duration(p.TimeoutSecs)}
		for id := range running {
			request.Delegations = append(request.Delegations, id)
		}
		a := r.await(request)
		if a.Refused != nil || len(a.Outcomes) == 0 {
			return
		}
		for _, o := range a.Outcomes {
			delete(running, o.DelegationID)
		}
	}
}

func (r *report) await(request murmur.AwaitRequest) await {
	awaited, err := murmur.Await(request)
	a := await{Awaited: awaited, Refused: told.Refused(err)}
	r.Awaits = append(r.Awaits, a)
	return a
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
