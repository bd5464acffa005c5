// Long-parent keeps two sleepers running. When one ends, by an operator's hand or otherwise, it prints how and starts
// another. It ends when it is ended.
package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	murmur "rookery/sdk/go"
)

// kept is how many sleepers run.
const kept = 2

func main() { murmur.Main(answer) }

func answer(string) (string, error) {
	running := map[string]bool{}
	ended := 0
	for {
		wait, err := fill(running)
		if err == nil {
			err = wake(running, wait, &ended)
		}
		switch {
		case murmur.IsCode(err, murmur.Canceled, murmur.ShuttingDown):
			return fmt.Sprintf("%d sleepers have ended", ended), nil
		case err != nil:
			return "", err
		}
	}
}

// fill starts what is missing and returns how long to wait before more can be started; 0: nothing is missing.
func fill(running map[string]bool) (time.Duration, error) {
	for len(running) < kept {
		started, err := murmur.Delegate(murmur.DelegateRequest{Capsule: "sleep", Version: "0.1.0"})
		if murmur.IsCode(err, murmur.ChildrenLimit, murmur.HostLimit, murmur.RateLimit) {
			return time.Second, nil
		}
		if err != nil {
			return 0, err
		}
		fmt.Println("started", started.DelegationID)
		running[started.DelegationID] = true
	}
	return 0, nil
}

// wake waits for the next sleeper to end, or until it is time to start more.
func wake(running map[string]bool, wait time.Duration, ended *int) error {
	if len(running) == 0 {
		time.Sleep(wait)
		return nil
	}
	request := murmur.AwaitRequest{Delegations: slices.Sorted(maps.Keys(running)), Any: true, Timeout: wait}
	awaited, err := murmur.Await(request)
	if err != nil {
		return err
	}
	for _, o := range awaited.Outcomes {
		fmt.Println("ended", o.DelegationID, o.Status, o.Detail)
		delete(running, o.DelegationID)
		*ended++
	}
	return nil
}
