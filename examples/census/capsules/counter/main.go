// Counter is given source files in its task text and answers with their counts: a count.Report as JSON.
package main

import (
	"encoding/json"

	"rookery/examples/census/count"
	"rookery/examples/census/shard"
	murmur "rookery/sdk/go"
)

func main() { murmur.Main(answer) }

func answer(text string) (string, error) {
	task, err := shard.Decode(text)
	if err != nil {
		return "", err
	}
	report := count.Report{}
	for _, file := range task.Files {
		report.Count(file.Path, []byte(file.Text))
	}
	out, err := json.Marshal(report)
	return string(out), err
}
