// Greet-go prints a line to stderr first of all, then sleeps for an hour. It links what a usual Go capsule links.
package main

import (
	"fmt"
	"os"
	"time"

	murmur "rookery/sdk/go"
)

func main() { murmur.Main(answer) }

func answer(string) (string, error) {
	fmt.Fprintln(os.Stderr, "here")
	time.Sleep(time.Hour)
	return "", nil
}
