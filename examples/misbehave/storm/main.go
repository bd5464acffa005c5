// Storm starts many children, as many at once as the host allows, and answers with what became of them:
//
//	{"capsule": "nap", "count": 200}
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"rookery/examples/misbehave/told"
	murmur "rookery/sdk/go"
)

type plan struct {
	Capsule string `json:"capsule"`
	Version string `json:"version"`
	Task    string `json:"task"`
	Count   int    `json:"count"`
}

type report struct {
	Started  int                   `json:"started"`
	Outcomes map[murmur.Status]int `json:"outcomes"`
	// Repeated counts outcomes that were told again, Foreign those of delegations that it never started.
	Repeated int `json:"repeated"`
	Foreign  int `json:"foreign"`
	// Most is how many it had started and not heard of at once.
	Most     int                 `json:"most"`
	Refusals map[murmur.Code]int `json:"refusals"`
	// Stopped is the refusal or error that ended the storm early.
	Stopped *told.Refusal `json:"stopped,omitempty"`
}

func main() { murmur.Main(answer) }

func answer(task string) (string, error) {
	p := plan{Version: "0.1.0"}
	if err := json.Unmarshal([]byte(task), &p); err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	r := report{Outcomes: map[murmur.Status]int{}, Refusals: map[murmur.Code]int{}}
	r.Stopped = told.Refused(r.run(p))
	return told.Answer(r)
}

func (r *report) run(p plan) error {
	running, ended := map[string]bool{}, map[string]bool{}
	for r.Started < p.Count || len(running) > 0 {
		wait, err := r.fill(p, running)
		if err != nil {
			return err
		}
		if len(running) == 0 {
			time.Sleep(max(wait, 100*time.Millisecond))
			continue
		}
		request := murmur.AwaitRequest{Delegations: slices.Sorted(maps.Keys(running)), Any: true, Timeout: wait}
		awaited, err := murmur.Await(request)
		if err != nil {
			return err
		}
		for _, o := range awaited.Outcomes {
			switch {
			case running[o.DelegationID]:
				delete(running, o.DelegationID)
				ended[o.DelegationID] = true
				r.Outcomes[o.Status]++
			case ended[o.DelegationID]:
				r.Repeated++
			default:
				r.Foreign++
			}
		}
	}
	return nil
}

// fill starts children until all are started or the host refuses one for a while, and returns for how long.
func (r *report) fill(p plan, running map[string]bool) (time.Duration, error) {
	for r.Started < p.Count {
		started, err := murmur.Delegate(murmur.DelegateRequest{Capsule: p.Capsule, Version: p.Version, Task: p.Task})
		var refusal *murmur.Error
		if errors.As(err, &refusal) {
			r.Refusals[refusal.Code]++
		}
		switch {
		case err == nil:
			running[started.DelegationID] = true
			r.Started++
			r.Most = max(r.Most, len(running))
		case murmur.IsCode(err, murmur.ChildrenLimit, murmur.HostLimit, murmur.RateLimit):
			return refusal.RetryAfter, nil
		default:
			return 0, err
		}
	}
	return 0, nil
}
