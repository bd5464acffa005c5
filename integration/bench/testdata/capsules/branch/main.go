// Branch delegates to itself as a tree: its task is how many children each level has, "4 4 5" makes 4, 16 and 80. Without a number it
// ends at once.
package main

import (
	"fmt"
	"strconv"
	"strings"

	murmur "rookery/sdk/go"
)

func main() { murmur.Main(answer) }

func answer(task string) (string, error) {
	here, beneath, _ := strings.Cut(task, " ")
	if here == "" {
		return "", nil
	}
	children, err := strconv.Atoi(here)
	if err != nil {
		return "", fmt.Errorf("task: %w", err)
	}
	for range children {
		if _, err := murmur.Delegate(murmur.DelegateRequest{Capsule: "branch", Version: "0.1.0", Task: beneath}); err != nil {
			return "", err
		}
	}
	outcomes, err := murmur.AwaitAll()
	if err != nil {
		return "", err
	}
	for _, o := range outcomes {
		if o.Status != murmur.StatusOK {
			return "", fmt.Errorf("%s: %s", o.DelegationID, o.Detail)
		}
	}
	return "", nil
}
