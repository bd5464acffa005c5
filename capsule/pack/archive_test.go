package pack_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	"rookery/capsule/internal/tempdir"
	"rookery/capsule/pack"
)

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// zipped makes an archive of names and contents in this order.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		entry, err := w.Create(files[i])
		require.NoError(t, err)
		_, err = entry.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// place puts an archive where a store has it, with its digest, and returns its path.
func place(t *testing.T, store, name, version string, data []byte) string {
	t.Helper()
	dir := filepath.Join(store, name, version)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, name+"-"+version+".mur.zip")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	require.NoError(t, os.WriteFile(pack.Sidecar(path), []byte(sha(data)+"\n"), 0o600))
	return path
}

func TestAnArchiveIsAPackage(t *testing.T) {
	t.Parallel()
	store := tempdir.New(t)
	path := place(t, store, "worker", "0.1.0", zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module+"content"))
	lay(t, store, map[string]string{"open/murmur.yaml": manifestOf("open"), "open/capsule.wasm": module})
	packages, errs := pack.Scan(store)
	require.Empty(t, errs)
	require.Len(t, packages, 2, "both layouts in one store")
	packed := packages[1]
	assert.Equal(t, path, packed.Path)
	assert.Equal(t, "worker", packed.Manifest.Name)
	assert.Equal(t, manifestOf("worker"), string(packed.ManifestText))
	assert.Equal(t, sha([]byte(module+"content")), packed.Pinned())
	assert.Empty(t, packed.Warnings)
	assert.Empty(t, packages[0].Pinned(), "a folder's module may change")

	for range 2 {
		file, err := packed.OpenModule()
		require.NoError(t, err)
		text, err := io.ReadAll(file)
		require.NoError(t, err)
		assert.Equal(t, module+"content", string(text), "from its beginning")
		_, err = file.WriteAt([]byte("x"), 0)
		require.Error(t, err, "it can be written to")
		require.NoError(t, file.Close())
	}
	alone, err := pack.Open(path)
	require.NoError(t, err)
	assert.Equal(t, packed.Pinned(), alone.Pinned())
}

func TestTheDigestBesideAnArchiveIsReadInTwoForms(t *testing.T) {
	t.Parallel()
	path := place(t, tempdir.New(t), "worker", "0.1.0", zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	digest, file := sha(data), filepath.Base(path)
	for _, text := range []string{digest, digest + "\n", strings.ToUpper(digest), digest + "  " + file + "\n", digest + " *" + file} {
		require.NoError(t, os.WriteFile(pack.Sidecar(path), []byte(text), 0o600))
		_, err := pack.Open(path)
		require.NoError(t, err, text)
	}
	other := sha([]byte("other"))
	for text, want := range map[string]string{
		"":                        "worker-0.1.0.sha256 beside it: it is empty",
		" \n":                     "it is empty",
		digest[:63]:               "is no SHA-256 in hex",
		digest + "00":             "is no SHA-256 in hex",
		digest[:63] + "g":         "is no SHA-256 in hex",
		digest + "  else.mur.zip": `it speaks of "else.mur.zip"`,
		digest + " a b":           "more than one digest",
		other:                     "its SHA-256 begins with " + digest[:12] + ", worker-0.1.0.sha256 says " + other[:12],
	} {
		require.NoError(t, os.WriteFile(pack.Sidecar(path), []byte(text), 0o600))
		_, err := pack.Open(path)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "package "+path)
		require.ErrorContains(t, err, "(E-REG-005)")
		assert.NotContains(t, err.Error(), "\n")
	}
	require.NoError(t, os.WriteFile(pack.Sidecar(path), bytes.Repeat([]byte(digest), 100), 0o600))
	_, err = pack.Open(path)
	require.ErrorIs(t, err, beneath.ErrTooLarge)
	require.NoError(t, os.Remove(pack.Sidecar(path)))
	_, err = pack.Open(path)
	require.ErrorContains(t, err, "there is no worker-0.1.0.sha256 beside it")
	assert.NotErrorIs(t, err, os.ErrNotExist, "there is a package")
}

func TestAnArchiveMustBeWhatItsPlaceSays(t *testing.T) {
	t.Parallel()
	data := zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module)
	for _, c := range []struct{ name, version, want string }{
		{"other", "0.1.0", "its place says other 0.1.0, its manifest worker 0.1.0"},
		{"worker", "0.2.0", "its place says worker 0.2.0, its manifest worker 0.1.0"},
		{"worker", "latest", "its place says worker latest, its manifest worker 0.1.0"},
	} {
		store := tempdir.New(t)
		place(t, store, c.name, c.version, data)
		packages, errs := pack.Scan(store)
		assert.Empty(t, packages)
		require.Len(t, errs, 1)
		assert.ErrorContains(t, errs[0], c.want)
	}
}

func TestWhatIsWrongInAnArchiveIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"no manifest":        {[]string{"capsule.wasm", module}, []string{"there is no murmur.yaml in it"}},
		"a manifest deeper":  {[]string{"worker/murmur.yaml", manifestOf("worker"), "capsule.wasm", module}, []string{"there is no murmur.yaml in it"}},
		"no module":          {[]string{"murmur.yaml", manifestOf("worker"), "sub/capsule.wasm", module}, []string{"E-BLD-003"}},
		"two modules":        {[]string{"murmur.yaml", manifestOf("worker"), "a.wasm", module, "b.wasm", module}, []string{`["a.wasm" "b.wasm"]`, "E-BLD-003"}},
		"a component":        {[]string{"murmur.yaml", manifestOf("worker"), "a.wasm", "\x00asm\x0d\x00\x01\x00"}, []string{"components are not supported", "E-BLD-004"}},
		"a manifest too big": {[]string{"murmur.yaml", "#" + strings.Repeat("x", 1<<20), "a.wasm", module}, []string{"larger than the limit"}},
		"several": {
			[]string{"murmur.yaml", "name: A B\nversion: edge\n", "a.wasm", "(module)"},
			[]string{"murmur.yaml:1:7", "E-BLD-001", "E-REG-004", "must be assembled"},
		},
		"a missing file": {[]string{"murmur.yaml", manifestOf("worker") + "requires_files: [a/b]\n", "a.wasm", module}, []string{"there is no a/b in it", "E-IO-003"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := place(t, tempdir.New(t), "worker", "0.1.0", zipped(t, c.files...))
			_, err := pack.Open(path)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
			assert.NotErrorIs(t, err, os.ErrNotExist)
		})
	}
}

func TestWhatAnArchiveHoldsBesidesIsNamed(t *testing.T) {
	t.Parallel()
	path := place(t, tempdir.New(t), "worker", "0.1.0", zipped(t,
		"murmur.yaml", manifestOf("worker"), "capsule.wasm", module, "other.wasm", "x", "src/Cargo.toml", "", "inner.mur.zip", "PK", "../../evil", "x", "notes/", "",
	))
	opened, err := pack.Open(path)
	require.NoError(t, err)
	codes := []string{}
	for _, warning := range opened.Warnings {
		codes = append(codes, warning.Code)
		assert.Equal(t, filepath.Join(path, "murmur.yaml"), warning.File)
	}
	assert.Equal(t, []string{"W-BLD-002", "W-BLD-003", "passed_over"}, codes)
}

func TestADamagedModuleIsFoundWhenThePackageIsOpened(t *testing.T) {
	t.Parallel()
	data := zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module+strings.Repeat("content ", 100))
	// The module's data is the last before the directory.
	at := bytes.Index(data, []byte("PK\x01\x02")) - 24
	data[at] ^= 1
	_, err := pack.Open(place(t, tempdir.New(t), "worker", "0.1.0", data))
	require.ErrorContains(t, err, `entry "capsule.wasm"`)
}

func TestAnArchiveThatChangedIsNotServed(t *testing.T) {
	t.Parallel()
	store := tempdir.New(t)
	path := place(t, store, "worker", "0.1.0", zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module))
	opened, err := pack.Open(path)
	require.NoError(t, err)
	// Another one in its place, sound in itself and with its digest.
	place(t, store, "worker", "0.1.0", zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module+"other"))
	_, err = opened.OpenModule()
	require.ErrorContains(t, err, "changed after it was verified")
	assert.Equal(t, sha([]byte(module)), opened.Pinned())
	require.NoError(t, os.Remove(path))
	_, err = opened.OpenModule()
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestLinksToArchivesAreRefused(t *testing.T) {
	t.Parallel()
	outside, store := tempdir.New(t), tempdir.New(t)
	data := zipped(t, "murmur.yaml", manifestOf("worker"), "capsule.wasm", module)
	real := place(t, outside, "worker", "0.1.0", data)
	path := place(t, store, "worker", "0.1.0", data)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(real, path))
	_, errs := pack.Scan(store)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], beneath.ErrLink)
	_, err := pack.Open(path)
	require.ErrorIs(t, err, beneath.ErrLink)

	path = place(t, tempdir.New(t), "worker", "0.1.0", data)
	require.NoError(t, os.Remove(pack.Sidecar(path)))
	require.NoError(t, os.Symlink(pack.Sidecar(real), pack.Sidecar(path)))
	_, err = pack.Open(path)
	assert.ErrorIs(t, err, beneath.ErrLink)
}

func TestAnEmptyArchiveIsRefused(t *testing.T) {
	t.Parallel()
	_, err := pack.Open(place(t, tempdir.New(t), "worker", "0.1.0", nil))
	assert.ErrorContains(t, err, "it is no zip archive")
}
