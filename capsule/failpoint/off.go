//go:build !failpoint

package failpoint

// Built reports whether this program has failpoints.
const Built = false

// Hit marks a point. It does nothing in this build.
func Hit(string) {}

// Inherit is what a launcher adds to the environment of a worker of capsule: in
// this build nothing.
func Inherit(string) []string { return nil }
