package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/catalog"
)

func TestCapsulesAreFoundByNameAndExactVersion(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	capsule(t, filepath.Join(dir, "a"), "alpha", "1.0.0", core)
	capsule(t, filepath.Join(dir, "deep", "b"), "beta", "1.0.0", core)
	capsule(t, filepath.Join(dir, "deep", "b2"), "beta", "1.10.0", core+"newer")
	capsule(t, filepath.Join(dir, "too", "deep", "c"), "gamma", "1.0.0", core)
	c, errs := catalog.Open([]string{dir})
	require.Empty(t, errs)
	var all []string
	for _, entry := range c.Entries() {
		all = append(all, entry.Manifest.Name+"@"+entry.Manifest.Version)
	}
	assert.Equal(t, []string{"alpha@1.0.0", "beta@1.0.0", "beta@1.10.0"}, all)

	entry, err := c.Lookup("beta", "1.10.0")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "deep", "b2"), entry.Path)
	digest, err := entry.Digest()
	require.NoError(t, err)
	assert.Equal(t, sha(core+"newer"), digest)

	for _, name := range []string{"", "gamma", "Alpha", "a", "../a", "owner/alpha"} {
		_, err := c.Lookup(name, "1.0.0")
		require.ErrorIs(t, err, catalog.ErrUnknownCapsule, name)
	}
	for _, version := range []string{"", "1", "1.0", "v1.0.0", "latest", "stable", "edge", "1.0.1"} {
		_, err := c.Lookup("alpha", version)
		assert.ErrorIs(t, err, catalog.ErrUnknownVersion, version)
	}
}

func TestWhatCannotBeUsedIsReportedAndHidesNothingElse(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	capsule(t, filepath.Join(dir, "1-first"), "alpha", "1.0.0", core)
	capsule(t, filepath.Join(dir, "2-again"), "alpha", "1.0.0", core)
	capsule(t, filepath.Join(dir, "3-component"), "beta", "1.0.0", "\x00asm\x0d\x00\x01\x00")
	capsule(t, filepath.Join(dir, "4-text"), "delta", "1.0.0", "(module)")
	capsule(t, filepath.Join(dir, "5-manifest"), "Not A Name", "latest", core)
	capsule(t, filepath.Join(dir, "6-link"), "epsilon", "1.0.0", core)
	require.NoError(t, os.Remove(filepath.Join(dir, "6-link", "capsule.wasm")))
	require.NoError(t, os.Symlink("../1-first/capsule.wasm", filepath.Join(dir, "6-link", "capsule.wasm")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "7.mur.zip"), nil, 0o600))
	missing := filepath.Join(dir, "none")

	// The second store is within the first: its packages are the same ones.
	c, errs := catalog.Open([]string{dir, missing, dir})
	var says []string
	for _, err := range errs {
		says = append(says, err.Error())
	}
	want := []string{
		"5-manifest", "7.mur.zip", "2-again: alpha 1.0.0 was found already, in " + filepath.Join(dir, "1-first"),
		"component", "text", "6-link", missing,
	}
	for _, text := range want {
		found := 0
		for _, said := range says {
			if contains(said, text) {
				found++
			}
		}
		assert.Positive(t, found, "%s is not among %q", text, says)
	}
	require.Len(t, c.Entries(), 1)
	assert.Equal(t, filepath.Join(dir, "1-first"), c.Entries()[0].Path)
}
