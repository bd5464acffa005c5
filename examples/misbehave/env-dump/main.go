// Env-dump answers with the environment and the arguments it was given.
package main

import (
	"os"
	"slices"

	"rookery/examples/misbehave/told"
	murmur "rookery/sdk/go"
)

type report struct {
	Args []string `json:"args"`
	Env  []string `json:"env"` // NAME=value, sorted
}

func main() {
	murmur.Main(func(string) (string, error) {
		return told.Answer(report{Args: os.Args, Env: slices.Sorted(slices.Values(os.Environ()))})
	})
}
