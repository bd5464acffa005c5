//go:build !failpoint

package failpoint

// Built reports whether this program has failpoints.
const Built = false

// Hit marks a point. It does nothing in this build.
func Hit(string) {}
