package bench

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"rookery/integration/rig"
	"rookery/launcher"
)

// bound is the longest that a wait may take, long that for some hundred delegations.
const bound, long = 30 * time.Second, 10 * time.Minute

// capsules is the folder of this package's own capsules, below the root of the repository.
const capsules = "integration/bench/testdata/capsules"

func TestMain(m *testing.M) {
	flag.Parse()
	// As the supervisor's main does: whoever runs the benchmarks may have left descriptors open.
	for _, err := range []error{setRounds(), launcher.CloseOnExecAll()} {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(2)
		}
	}
	os.Exit(rig.Main(m))
}
