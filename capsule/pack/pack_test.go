package pack_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/internal/tempdir"
	"rookery/capsule/pack"
	"rookery/capsule/strictyaml"
)

const module = "\x00asm\x01\x00\x00\x00"

func manifestOf(name string) string { return "name: " + name + "\nversion: 0.1.0\n" }

// lay writes files beneath root.
func lay(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func TestAPackageIsItsManifestAndItsModule(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"called capsule.wasm":       {"capsule.wasm": module},
		"the only one at the root":  {"other-name.wasm": module, "sub/extra.wasm": "x", "notes.txt": ""},
		"capsule.wasm among others": {"capsule.wasm": module, "a.wasm": "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tempdir.New(t)
			lay(t, dir, files)
			lay(t, dir, map[string]string{"murmur.yaml": manifestOf("worker")})
			opened, err := pack.Open(dir)
			require.NoError(t, err)
			assert.Equal(t, dir, opened.Path)
			assert.Equal(t, "worker", opened.Manifest.Name)
			assert.Equal(t, manifestOf("worker"), string(opened.ManifestText))
			file, err := opened.OpenModule()
			require.NoError(t, err)
			defer file.Close()
			text, err := io.ReadAll(file)
			require.NoError(t, err)
			assert.Equal(t, module, string(text), "from its beginning")
			if files["a.wasm"] == "" {
				assert.Empty(t, opened.Warnings)
				return
			}
			require.Len(t, opened.Warnings, 1)
			assert.Equal(t, "W-BLD-002", opened.Warnings[0].Code)
		})
	}
}

func TestAPackageWithoutOneClearModuleIsRefused(t *testing.T) {
	t.Parallel()
	for want, files := range map[string]map[string]string{
		"holds no module":                       {"sub/capsule.wasm": module},
		`holds the modules ["a.wasm" "b.wasm"]`: {"a.wasm": module, "b.wasm": module},
	} {
		dir := tempdir.New(t)
		lay(t, dir, files)
		lay(t, dir, map[string]string{"murmur.yaml": manifestOf("worker")})
		_, err := pack.Open(dir)
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "E-BLD-003")
	}
}

func TestEverythingWrongWithAPackageIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	lay(t, dir, map[string]string{"murmur.yaml": "name: UPPER\nversion: latest\n"})
	_, err := pack.Open(dir)
	var faults strictyaml.Faults
	require.ErrorAs(t, err, &faults)
	assert.Len(t, faults, 2)
	assert.Equal(t, filepath.Join(dir, "murmur.yaml"), faults[0].File)
	assert.ErrorContains(t, err, "holds no module")

	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("a") + "requires_files: [gone, x/y]\n", "capsule.wasm": "(module)"})
	_, err = pack.Open(dir)
	for _, want := range []string{"must be assembled", "open gone: no such file or directory (E-IO-003)", "open x/y: no such file or directory (E-IO-003)"} {
		require.ErrorContains(t, err, want)
	}
	assert.NotErrorIs(t, err, os.ErrNotExist, "there is a package")
}

func TestAPackageWithoutAManifestIsRefused(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	_, err := pack.Open(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = pack.Open(filepath.Join(dir, "missing"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestLinksInAPackageAreRefused(t *testing.T) {
	t.Parallel()
	outside := tempdir.New(t)
	lay(t, outside, map[string]string{"murmur.yaml": manifestOf("worker"), "capsule.wasm": module})

	dir := tempdir.New(t)
	require.NoError(t, os.Symlink(filepath.Join(outside, "murmur.yaml"), filepath.Join(dir, "murmur.yaml")))
	_, err := pack.Open(dir)
	require.ErrorIs(t, err, beneath.ErrLink)

	dir = tempdir.New(t)
	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("worker")})
	require.NoError(t, os.Symlink(filepath.Join(outside, "capsule.wasm"), filepath.Join(dir, "capsule.wasm")))
	_, err = pack.Open(dir)
	require.ErrorIs(t, err, beneath.ErrLink)

	// One that came later is not followed either.
	require.NoError(t, os.Remove(filepath.Join(dir, "capsule.wasm")))
	lay(t, dir, map[string]string{"capsule.wasm": module})
	opened, err := pack.Open(dir)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "capsule.wasm")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "capsule.wasm"), filepath.Join(dir, "capsule.wasm")))
	_, err = opened.OpenModule()
	require.ErrorIs(t, err, beneath.ErrLink)

	dir = tempdir.New(t)
	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("worker") + "requires_files: [data/a]\n", "capsule.wasm": module})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "data")))
	lay(t, outside, map[string]string{"a": ""})
	_, err = pack.Open(dir)
	assert.ErrorContains(t, err, beneath.ErrLink.Error())
}

func TestAModuleThatIsAPipeIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("worker")})
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "capsule.wasm"), 0o600))
	_, err := pack.Open(dir)
	assert.ErrorIs(t, err, beneath.ErrNotRegular)
}

func TestOnlyCoreModulesAreTaken(t *testing.T) {
	t.Parallel()
	require.NoError(t, pack.CheckModule(strings.NewReader(module)))
	require.NoError(t, pack.CheckModule(strings.NewReader(module+"more")))
	for header, want := range map[string]string{
		"\x00asm\x0d\x00\x01\x00": "component",
		"\x00asm\x02\x00\x00\x00": "version 2 of the binary format",
		"(module)":                "must be assembled",
		"(":                       "must be assembled",
		"\x00asm\x01\x00\x00":     "not a WebAssembly module",
		"\x7fELF\x02\x01\x01\x00": "not a WebAssembly module",
		"":                        "not a WebAssembly module",
	} {
		assert.ErrorContains(t, pack.CheckModule(strings.NewReader(header)), want, "%q", header)
	}
}

func TestAComponentInAPackageIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("worker"), "capsule.wasm": "\x00asm\x0d\x00\x01\x00"})
	_, err := pack.Open(dir)
	require.ErrorContains(t, err, "components are not supported")
	assert.ErrorContains(t, err, "E-BLD-004")
}

func TestAStoreIsScannedInTheOrderOfItsPaths(t *testing.T) {
	t.Parallel()
	store := tempdir.New(t)
	lay(t, store, map[string]string{
		"b/0.2.0/murmur.yaml": manifestOf("b"), "b/0.2.0/capsule.wasm": module,
		"b/0.10.0/murmur.yaml": manifestOf("b"), "b/0.10.0/capsule.wasm": module,
		"a/murmur.yaml": manifestOf("a"), "a/capsule.wasm": module,
		"a/inner/murmur.yaml": manifestOf("inner"), "a/inner/capsule.wasm": module,
		"c/d/e/murmur.yaml": manifestOf("deep"), "c/d/e/capsule.wasm": module,
		".hidden/murmur.yaml": manifestOf("hidden"), ".hidden/capsule.wasm": module,
		"murmur.yaml": manifestOf("root"), "README": "",
	})
	for range 2 {
		packages, errs := pack.Scan(store)
		assert.Empty(t, errs)
		dirs := []string{}
		for _, found := range packages {
			dirs = append(dirs, strings.TrimPrefix(found.Path, store+"/"))
		}
		assert.Equal(t, []string{"a", "b/0.10.0", "b/0.2.0"}, dirs, "at depth one and two, not within a package, not hidden")
	}
}

func TestWhatCannotBeUsedIsReportedAndHidesNothingElse(t *testing.T) {
	t.Parallel()
	store := tempdir.New(t)
	lay(t, store, map[string]string{
		"bad/murmur.yaml":             "name: [\n",
		"good/murmur.yaml":            manifestOf("good"),
		"good/capsule.wasm":           module,
		"packed/0.1.0/packed.mur.zip": "PK",
		"short/short-0.1.0.mur.zip":   "PK",
		"empty/murmur.yaml":           manifestOf("empty"),
		"flat.mur.zip":                "PK",
	})
	require.NoError(t, os.Symlink(filepath.Join(store, "good"), filepath.Join(store, "link")))
	packages, errs := pack.Scan(store)
	require.Len(t, packages, 1)
	assert.Equal(t, "good", packages[0].Manifest.Name)
	require.Len(t, errs, 6)
	for i, want := range []string{"bad/murmur.yaml:1:", "holds no module", "an archive lies at", "symbolic link", "is called packed-0.1.0.mur.zip", "an archive lies at"} {
		assert.ErrorContains(t, errs[i], want)
	}
}

func TestAStoreThatIsMissingIsAnError(t *testing.T) {
	t.Parallel()
	packages, errs := pack.Scan(filepath.Join(tempdir.New(t), "missing"))
	assert.Empty(t, packages)
	require.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], os.ErrNotExist)
}

func FuzzCheckModuleTakesOnlyTheCoreHeader(f *testing.F) {
	f.Add([]byte(module))
	f.Add([]byte("\x00asm\x0d\x00\x01\x00"))
	f.Add([]byte("("))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := pack.CheckModule(bytes.NewReader(data))
		assert.Equal(t, bytes.HasPrefix(data, []byte(module)), err == nil)
	})
}
