// Widow delegates as often as its task says ("30 silent-ok"), one after the other, and prints a line to stderr for each child that has
// ended: the delegation, how many nanoseconds `delegate` took, and when `await` returned, in nanoseconds since 1970.
package main

import (
	"fmt"
	"os"
	"time"

	murmur "rookery/sdk/go"
)

func main() { murmur.Main(answer) }

func answer(task string) (string, error) {
	var times int
	var capsule string
	if _, err := fmt.Sscan(task, &times, &capsule); err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	for range times {
		begun := time.Now()
		started, err := murmur.Delegate(murmur.DelegateRequest{Capsule: capsule, Version: "0.1.0"})
		took := time.Since(begun)
		if err != nil {
			return "", err
		}
		if _, err := murmur.AwaitAll(started.DelegationID); err != nil {
			return "", err
		}
		fmt.Fprintln(os.Stderr, started.DelegationID, took.Nanoseconds(), time.Now().UnixNano())
	}
	return "", nil
}
