package roots_test

import (
	"os"
	"testing"

	"rookery/integration/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
