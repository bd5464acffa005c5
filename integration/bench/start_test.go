package bench

import (
	"path/filepath"
	"testing"
)

// BenchmarkStart is a worker's start beside what it is made of: any process, and a go-plugin process that does nothing. The rows
// worker-… end when the task is accepted, the rows guest-… when the guest's first line is in its log.
func BenchmarkStart(b *testing.B) {
	noop, host := newSmall(b, endsAtOnce), newBare(b)
	// Beside the workers' sockets, where the file system has the same to do.
	plugin := newEmptyPlugin(b, filepath.Join(host.state.RunDir(), "w"))
	wat, code := host.native(b, "greet-wat"), host.native(b, "greet-go")
	r := measure(b, func(r *rows) {
		r.add("noop", noop.run(b))
		r.add("plugin", plugin.firstAnswer(b))
		ready, printed := host.start(b, "greet-wat", wat)
		r.add("worker-wat", ready)
		r.add("guest-wat", printed)
		ready, printed = host.start(b, "greet-go", code)
		r.add("worker-go", ready)
		r.add("guest-go", printed)
	})
	r.report(b, map[string]string{"worker-wat": "plugin", "worker-go": "plugin", "guest-wat": "plugin", "guest-go": "plugin"})
}
