package rig

import (
	"testing"
	"time"
)

// step is how often a condition is looked at again.
const step = 15 * time.Millisecond

// Soon bounds waits for what takes milliseconds on an idle machine; a busy one with two cores needs more.
const Soon = 20 * time.Second

// Until waits for a condition and fails the test when it has not come within the bound.
func Until(t testing.TB, bound time.Duration, what string, met func() bool) {
	t.Helper()
	late := time.NewTimer(bound)
	defer late.Stop()
	tick := time.NewTicker(step)
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case <-late.C:
			if !met() {
				t.Fatalf("after %s still not: %s", bound, what)
			}
			return
		}
	}
}
