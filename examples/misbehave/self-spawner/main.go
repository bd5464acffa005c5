// Self-spawner starts itself without end, in the way that its task names, until its host stops it, and answers with the
// codes that did:
//
//	deep   each starts one child and waits for it
//	wide   it starts children that idle
//	long   it starts one child after the other
//	tree   each starts as many as it can (also for an empty task)
package main

import (
	"encoding/json"
	"fmt"
	"time"

	"rookery/examples/misbehave/told"
	murmur "rookery/sdk/go"
)

type report struct {
	// Started counts the capsules below this one, Codes what stopped each of those that tried to start more.
	Started int                 `json:"started"`
	Codes   map[murmur.Code]int `json:"codes"`
	// StoppedBy is what stopped this one.
	StoppedBy *told.Refusal `json:"stopped_by,omitempty"`
}

func main() { murmur.Main(answer) }

func answer(task string) (string, error) {
	r := report{Codes: map[murmur.Code]int{}}
	var err error
	switch task {
	case "deep":
		err = r.wait("deep")
	case "wide":
		err = r.wide()
	case "long":
		for err == nil {
			err = r.wait("leaf")
		}
	case "tree", "":
		err = r.tree()
	case "idle":
		time.Sleep(time.Hour)
	case "leaf":
	default:
		return "", fmt.Errorf("task: unknown way %q", task)
	}
	if err != nil {
		r.StoppedBy = told.Refused(err)
		r.Codes[r.StoppedBy.Code]++
	}
	return told.Answer(r)
}

func itself(task string) murmur.DelegateRequest {
	return murmur.DelegateRequest{Capsule: "self-spawner", Version: "0.1.0", Task: task}
}

// wait starts one child and adds what it has to say.
func (r *report) wait(task string) error {
	outcome, err := murmur.DelegateAndWait(itself(task))
	if err != nil {
		return err
	}
	r.Started++
	return r.add(outcome)
}

func (r *report) wide() error {
	for {
		if _, err := murmur.Delegate(itself("idle")); err != nil {
			return err
		}
		r.Started++
	}
}

// tree starts children that do the same, and hears them all before it says what stopped it.
func (r *report) tree() error {
	var refused error
	for refused == nil {
		if _, refused = murmur.Delegate(itself("tree")); refused == nil {
			r.Started++
		}
	}
	outcomes, err := murmur.AwaitAll()
	if err != nil {
		return err
	}
	for _, outcome := range outcomes {
		if err := r.add(outcome); err != nil {
			return err
		}
	}
	return refused
}

func (r *report) add(outcome murmur.Outcome) error {
	if outcome.Status != murmur.StatusOK {
		return fmt.Errorf("child %s: %s", outcome.Status, outcome.Detail)
	}
	var child report
	if err := json.Unmarshal([]byte(outcome.Result), &child); err != nil {
		return fmt.Errorf("child's answer: %w", err)
	}
	r.Started += child.Started
	for code, n := range child.Codes {
		r.Codes[code] += n
	}
	return nil
}
