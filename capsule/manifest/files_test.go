package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesOfThePackageAreNamedPlainly(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                         "it is empty",
		"/etc/passwd":              "it is absolute",
		"../up":                    "it climbs",
		"a/../b":                   "it climbs",
		".":                        "it is the package itself",
		"./":                       "it is the package itself",
		`a\\b`:                     "it holds a backslash",
		`a\x00b`:                   "it holds what no path should",
		strings.Repeat("a", 256):   "a name in it has 256 bytes",
		strings.Repeat("a/b", 400): "it has 1200 bytes, the limit is 1024",
		"OK":                       `it differs from "ok" by case alone`,
	} {
		_, faults := parse(t, head+"requires_files: [ok, \""+name+"\"]\n")
		require.Len(t, faults, 1, name)
		assert.Contains(t, faults[0], "requires_files[1]: ")
		assert.Contains(t, faults[0], want)
		assert.Contains(t, faults[0], "(E-BLD-002)")
	}
	_, faults := parse(t, head+"requires_files: ["+strings.Repeat("a,", 257)+"]\n")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0], "257 entries, the limit is 256")
}
