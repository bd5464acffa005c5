package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
)

// BenchmarkNative is what the native-code cache saves: one `worker compile` process against mapping what it has made, as a worker
// does. Mapping reads the file's head; its pages come when the guest runs into them.
func BenchmarkNative(b *testing.B) {
	host := newBare(b)
	r := measure(b, func(r *rows) {
		for _, guest := range []string{"wat", "go"} {
			begun := time.Now()
			native := host.native(b, "greet-"+guest)
			r.add("compile-"+guest, time.Since(begun))
			begun = time.Now()
			module, err := sandbox.Load(int(native.Fd()))
			r.add("map-"+guest, time.Since(begun))
			require.NoError(b, err)
			module.Close()
		}
	})
	r.report(b, map[string]string{"compile-wat": "map-wat", "compile-go": "map-go"})
}
