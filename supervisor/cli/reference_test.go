package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePageAboutEveryCommandIsUpToDate(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "commands.md"))
	require.NoError(t, err)
	require.Equal(t, Reference(), string(page), "make it anew: go run ./internal/tools/clidoc > docs/commands.md")
}

func TestThePageSaysOfEachRefusedFlagThatThisBuildHasNoneOfIt(t *testing.T) {
	t.Parallel()
	page := Reference()
	for _, flag := range []string{"--on-exit", "--replace"} {
		require.Regexp(t, "(?m)^\\| `"+flag+"[^\n]*not in this build", page)
	}
}
