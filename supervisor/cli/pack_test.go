package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/pack"
)

// unpacked makes a capsule's folder and returns the folder above it.
func unpacked(t *testing.T, manifest string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	src := filepath.Join(dir, "src")
	require.NoError(t, os.Mkdir(src, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(src, "murmur.yaml"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(src, "capsule.wasm"), []byte("\x00asm\x01\x00\x00\x00"), 0o600))
	return dir
}

func TestPackWritesAnArchiveAndItsDigest(t *testing.T) {
	t.Parallel()
	dir := unpacked(t, "name: worker\nversion: 0.1.0\nrequires_files: [go.mod]\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "go.mod"), nil, 0o600))
	path := filepath.Join(dir, "worker-0.1.0"+pack.ArchiveSuffix)
	var before string
	for range 2 {
		e, out, errs := env(nil)
		require.Equal(t, exitDone, Run(t.Context(), e, []string{"pack", filepath.Join(dir, "src"), "-o", path}), errs.String())
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		digest := hex.EncodeToString(sum[:])
		assert.Equal(t, digest+"  "+path+"\n", out.String(), "as sha256sum writes it")
		assert.Contains(t, errs.String(), "W-BLD-003")
		stated, err := os.ReadFile(filepath.Join(dir, "worker-0.1.0.sha256"))
		require.NoError(t, err)
		assert.Equal(t, digest+"\n", string(stated))
		if before != "" {
			assert.Equal(t, before, digest, "the same bytes again, over the first")
		}
		before = digest
		_, err = pack.Open(path)
		require.NoError(t, err)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "and nothing else")
}

func TestPackMakesTheFoldersOfItsArchive(t *testing.T) {
	t.Parallel()
	dir := unpacked(t, "name: worker\nversion: 0.1.0\n")
	path := filepath.Join(dir, "capsules", "worker", "0.1.0", "worker-0.1.0"+pack.ArchiveSuffix)
	e, _, errs := env(nil)
	require.Equal(t, exitDone, Run(t.Context(), e, []string{"pack", filepath.Join(dir, "src"), "-o", path}), errs.String())
	_, err := pack.Open(path)
	require.NoError(t, err)
}

func TestPackRefusesWhatIsNoPackage(t *testing.T) {
	t.Parallel()
	dir := unpacked(t, "name: worker\nversion: latest\nrequires_files: [../x]\n")
	out := filepath.Join(dir, "x"+pack.ArchiveSuffix)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"pack", filepath.Join(dir, "src"), "-o", out}, exitFailed, []string{"E-REG-004", "E-BLD-002"}},
		{[]string{"pack", filepath.Join(dir, "none"), "-o", out}, exitUsage, []string{"no such file"}},
		{[]string{"pack", dir, "-o", out}, exitUsage, []string{"murmur.yaml"}},
		{[]string{"pack", filepath.Join(dir, "src"), "-o", filepath.Join(dir, "x.zip")}, exitUsage, []string{"ends in .mur.zip"}},
		{[]string{"pack"}, exitUsage, []string{"accepts 1 arg"}},
	} {
		e, stdout, errs := env(nil)
		assert.Equal(t, c.code, Run(t.Context(), e, c.args), c.args)
		assert.Empty(t, stdout.String())
		for _, want := range c.want {
			assert.Contains(t, errs.String(), want)
		}
	}
	_, err := os.Stat(out)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
