package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/pack"
	"rookery/supervisor/catalog"
)

func TestAPackedCapsuleIsCompiledFromItsArchiveAndThenNotMissed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	source, store := folder(t), folder(t)
	capsule(t, source, "packed", "1.0.0", core+"content")
	made, err := pack.Build(source)
	require.NoError(t, err)
	place := filepath.Join(store, "packed", "1.0.0")
	require.NoError(t, os.MkdirAll(place, 0o700))
	path := filepath.Join(place, made.Name)
	require.NoError(t, os.WriteFile(path, made.Data, 0o600))
	require.NoError(t, os.WriteFile(pack.Sidecar(path), []byte(made.Digest), 0o600))

	c, errs := catalog.Open([]string{store})
	require.Empty(t, errs)
	b.entry, err = c.Lookup("packed", "1.0.0")
	require.NoError(t, err)
	digest, err := b.entry.Digest()
	require.NoError(t, err)
	assert.Equal(t, sha(core+"content"), digest)
	cache := b.cache("engine")
	assert.Equal(t, native, b.native(cache), "of a module that the compiler cannot write to")

	// Its native code is kept by a digest that no longer depends on the file.
	require.NoError(t, os.Remove(path))
	assert.Equal(t, native, b.native(cache))
	assert.EqualValues(t, 1, b.compiled.Load())

	// What must be compiled anew is compiled of the verified bytes or not at all.
	for _, other := range []func(){
		func() {},
		func() { require.NoError(t, os.WriteFile(path, append(made.Data, 0), 0o600)) },
	} {
		other()
		_, _, err := b.cache("another engine").Native(t.Context(), b.entry)
		require.ErrorContains(t, err, "package "+path)
	}
	assert.EqualValues(t, 1, b.compiled.Load())
}
