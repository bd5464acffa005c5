// Widow delegates to the capsule sleep as often as its task says, one after the other, and prints a line to stderr for each that has died:
// the delegation, how many nanoseconds `delegate` took, and when `await` returned, in nanoseconds since 1970.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	murmur "rookery/sdk/go"
)

func main() { murmur.Main(answer) }

func answer(task string) (string, error) {
	children, err := strconv.Atoi(task)
	if err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	for range children {
		begun := time.Now()
		started, err := murmur.Delegate(murmur.DelegateRequest{Capsule: "sleep", Version: "0.1.0"})
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
