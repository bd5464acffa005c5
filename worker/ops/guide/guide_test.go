package guide_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/ops"
	"rookery/worker/ops/guide"
)

func TestThePageInDocsIsWhatTheTableSays(t *testing.T) {
	t.Parallel()
	want, err := guide.Render()
	require.NoError(t, err)
	got, err := os.ReadFile("../../../docs/guest-interface.md")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run: go run ./internal/tools/guestdoc")
}

func TestThePageHasEveryOpAndEveryCode(t *testing.T) {
	t.Parallel()
	page, err := guide.Render()
	require.NoError(t, err)
	for _, r := range ops.References() {
		assert.Contains(t, string(page), "\n### "+r.Name+"\n")
		assert.True(t, strings.HasSuffix(r.Doc, "."), r.Name)
		for _, p := range r.Request.Properties {
			assert.Contains(t, string(page), "| `"+p.Name+"` |")
		}
	}
	for _, c := range ops.Codes() {
		assert.Contains(t, string(page), "| `"+c.Name+"` |")
	}
}
