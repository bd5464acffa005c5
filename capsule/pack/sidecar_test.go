package pack

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func FuzzADigestIsReadOrRefused(f *testing.F) {
	digest := strings.Repeat("0aF9", 16)
	for _, text := range []string{"", digest, digest + "\n", digest + "  w.mur.zip", digest + " *w.mur.zip\n", digest[1:], digest + " a b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := parseSidecar(text, "w.mur.zip")
		if err != nil {
			assert.Empty(t, read)
			return
		}
		assert.Regexp(t, `^[0-9a-f]{64}$`, read)
		assert.Equal(t, read, strings.ToLower(strings.Fields(text)[0]))
	})
}
