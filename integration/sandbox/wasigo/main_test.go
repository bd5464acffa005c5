package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox/shim/wasisuite"
)

func TestVerdictsOfWholeTestsAreCountedAndFailuresQuoted(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `os TestB (0.00s)
    b_test.go:1: why
os: 2 passed, 1 failed, 1 skipped
`, summary("os", `=== RUN   TestA
    a_test.go:1: not told
--- PASS: TestA (0.00s)
=== RUN   TestB
    b_test.go:1: why
--- FAIL: TestB (0.00s)
    --- FAIL: TestB/inner (0.00s)
=== RUN   TestC
--- SKIP: TestC (0.00s)
--- PASS: TestD (0.10s)
FAIL
`))
}

func TestAPackageOfGosRunsAsAGuest(t *testing.T) {
	t.Parallel()
	runner, err := wasisuite.New()
	require.NoError(t, err)
	t.Cleanup(runner.Close)
	text, err := test(t.Context(), runner, "path")
	require.NoError(t, err)
	assert.Regexp(t, `^path: \d+ passed, 0 failed, \d+ skipped\n$`, summary("path", text))
}

func TestAPackageThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	runner, err := wasisuite.New()
	require.NoError(t, err)
	t.Cleanup(runner.Close)
	_, err = test(t.Context(), runner, "no/such/package")
	assert.Error(t, err)
}
