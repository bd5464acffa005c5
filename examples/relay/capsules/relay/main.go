// Relay starts a runner for each of its task's, listens to all of them at once and passes on what it hears. The times
// that its runners leave are its answer; it fails when one of them did. Its task is JSON: {"runners": [runner's task, …]}.
package main

import (
	"encoding/json"
	"fmt"
	"strings"

	murmur "rookery/sdk/go"
)

func main() { murmur.Main(relay) }

func relay(text string) (string, error) {
	var task struct {
		Runners []json.RawMessage `json:"runners"`
	}
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	running := map[string]bool{}
	for i, runner := range task.Runners {
		started, err := murmur.Delegate(murmur.DelegateRequest{
			Capsule: "runner", Version: "0.1.0", Task: string(runner), RequestKey: fmt.Sprintf("runner-%d", i),
		})
		if err != nil {
			return "", err
		}
		running[started.DelegationID] = true
	}
	fallen, err := listen(running)
	switch {
	case err != nil:
		return "", err
	case len(fallen) > 0:
		return "", murmur.Finish(murmur.Failed, murmur.Text(strings.Join(fallen, "; ")))
	}
	return "", murmur.Finish(murmur.Completed)
}

// listen hears the runners until all have ended, and returns what became of those that did not come in.
func listen(running map[string]bool) (fallen []string, err error) {
	if len(running) == 0 {
		return nil, nil
	}
	for event, err := range murmur.Events(murmur.KindProgress, murmur.KindOutcome) {
		if err != nil {
			return nil, err
		}
		switch {
		case event.Progress != nil:
			err = murmur.Progress(fmt.Sprintf("%s: %s", event.Progress.DelegationID, event.Progress.Message))
		case event.Outcome.Status == murmur.StatusOK:
			_, err = murmur.Artifact(murmur.ArtifactRequest{Name: "times", Parts: []murmur.Part{murmur.Text(event.Outcome.Result)}})
		default:
			fallen = append(fallen, strings.TrimPrefix(event.Outcome.Detail, "failed: "))
		}
		if err != nil {
			return nil, err
		}
		if event.Outcome != nil {
			if delete(running, event.Outcome.DelegationID); len(running) == 0 {
				return fallen, nil
			}
		}
	}
	return fallen, nil
}
