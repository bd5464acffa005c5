// Orchestrator takes a census of the source files in src/ of its work folder. It cuts them into shards, has each counted
// by a counter capsule, several at once, and leaves the sum: a table as its answer, and out/report.json.
//
// A shard whose counter failed is given to another one once; when that fails too, the census goes on without it, names
// it and its files, and ends as an error.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"rookery/examples/census/shard"
	murmur "rookery/sdk/go"
)

const (
	sourceFolder = "src"
	reportFile   = "out/report.json"
)

func main() { murmur.Main(census) }

func census(string) (string, error) {
	reader, err := shard.Open(os.DirFS(sourceFolder))
	if err != nil {
		return "", err
	}
	d := newDispatcher(host{}, reader.Next)
	stopped := d.run()
	result := d.result(reader.LeftOut())
	if err := leave(result); err != nil {
		return "", err
	}
	if stopped != nil {
		return result.String(), stopped
	}
	return result.String(), result.err()
}

// leave writes the report for programs beside the answer for people.
func leave(result result) error {
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.MkdirAll("out", 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.WriteFile(reportFile, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
