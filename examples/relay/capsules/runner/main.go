// Runner runs laps. It says each one, gives its times away lap by lap, and finishes completed, or failed where its task
// says that it falls. Its task is JSON: {"name": "Ada", "laps": 3, "falls_at": 2, "asks": true}.
package main

import (
	"encoding/json"
	"fmt"
	"time"

	murmur "rookery/sdk/go"
)

// lap is how long one takes, give or take what a busy machine adds.
const lap = 50 * time.Millisecond

type task struct {
	Name    string `json:"name"`
	Laps    int    `json:"laps"`
	FallsAt int    `json:"falls_at"`
	// Asks lets the runner wait for whoever gives the start.
	Asks bool `json:"asks"`
}

func main() { murmur.Main(run) }

func run(text string) (string, error) {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	if t.Asks {
		start, err := murmur.RequestInput(t.Name+" is ready: shall I run?", time.Minute)
		if err != nil {
			return "", err
		}
		if start.Text != "go" {
			return "", murmur.Finish(murmur.Rejected, murmur.Text("told: "+start.Text))
		}
	}
	for n := 1; n <= t.Laps; n++ {
		began := time.Now()
		time.Sleep(lap)
		if n == t.FallsAt {
			return "", murmur.Finish(murmur.Failed, murmur.Text(fmt.Sprintf("%s fell in lap %d", t.Name, n)))
		}
		if err := murmur.Progress(fmt.Sprintf("lap %d of %d", n, t.Laps)); err != nil {
			return "", err
		}
		times := murmur.ArtifactRequest{
			ID: "times", Append: n > 1, Last: n == t.Laps,
			Parts: []murmur.Part{murmur.Text(fmt.Sprintf("%s lap %d: %d ms\n", t.Name, n, time.Since(began).Milliseconds()))},
		}
		if _, err := murmur.Artifact(times); err != nil {
			return "", err
		}
	}
	return "", murmur.Finish(murmur.Completed)
}
