package pack_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/internal/tempdir"
	"rookery/capsule/pack"
)

var update = flag.Bool("update", false, "write the golden files")

// source is a capsule's folder as its author has it.
var source = map[string]string{
	"murmur.yaml":   "name: worker\nversion: 0.1.0\nrequires_files: [prompts/b.md, a.txt, prompts/ü.md, murmur.yaml]\n",
	"capsule.wasm":  module + strings.Repeat("\x00", 64),
	"a.txt":         "some text, some text\n",
	"prompts/b.md":  "b\n",
	"prompts/ü.md":  "",
	"prompts/c.md":  "not required",
	"go.mod":        "module worker\n",
	"main.go":       "package main\n",
	"secret/key.pa": "not required",
}

func TestAPackageHasTheSameBytesEverywhere(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "worker-0.1.0.mur.zip")
	for _, mode := range []os.FileMode{0o600, 0o755} {
		dir := tempdir.New(t)
		lay(t, dir, source)
		for name := range source {
			require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
			require.NoError(t, os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Unix(int64(mode)<<20, 0)))
		}
		made, err := pack.Build(dir)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(golden, made.Data, 0o644))
			require.NoError(t, os.WriteFile(pack.Sidecar(golden), []byte(made.Digest+"\n"), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, want, made.Data)
		assert.Equal(t, sha(want), made.Digest)
		assert.Equal(t, "worker-0.1.0.mur.zip", made.Name)
		assert.Equal(t, sha([]byte(source["capsule.wasm"])), made.Package.Pinned())
		assert.Empty(t, made.Package.Warnings)
	}
	opened, err := pack.Open(golden)
	require.NoError(t, err)
	assert.Equal(t, "worker", opened.Manifest.Name)
}

func TestOnlyWhatBelongsToAPackageIsPacked(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	lay(t, dir, source)
	made, err := pack.Build(dir)
	require.NoError(t, err)
	got := unzipped(t, made.Data)
	names := []string{}
	for _, file := range got {
		names = append(names, file.Name)
		assert.Equal(t, os.FileMode(0o644), file.Mode())
	}
	assert.Equal(t, []string{"a.txt", "capsule.wasm", "murmur.yaml", "prompts/b.md", "prompts/ü.md"}, names)
}

// unzipped reads an archive with the standard reader.
func unzipped(t *testing.T, data []byte) []*zip.File {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return r.File
}

func TestWhatWasUnpackedPacksToTheSameDigest(t *testing.T) {
	t.Parallel()
	dir, again := tempdir.New(t), tempdir.New(t)
	lay(t, dir, source)
	made, err := pack.Build(dir)
	require.NoError(t, err)
	for _, file := range unzipped(t, made.Data) {
		content, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		lay(t, again, map[string]string{file.Name: string(text)})
	}
	second, err := pack.Build(again)
	require.NoError(t, err)
	assert.Equal(t, made.Digest, second.Digest)
}

func TestWhatCannotBeAPackageIsNotPacked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"everything at once": {
			map[string]string{"murmur.yaml": "name: No\nversion: stable\nrequires_files: [/a, ../b]\n"},
			[]string{"E-BLD-001", "E-REG-004", "requires_files[0]", "requires_files[1]", "E-BLD-002", "E-BLD-003"},
		},
		"no manifest": {map[string]string{"capsule.wasm": module}, []string{"murmur.yaml"}},
		"text":        {map[string]string{"murmur.yaml": manifestOf("a"), "capsule.wasm": "(module)"}, []string{"E-BLD-004"}},
		"a folder where a file is required": {
			map[string]string{"murmur.yaml": manifestOf("a") + "requires_files: [d]\n", "capsule.wasm": module, "d/x": ""},
			[]string{"not a regular file", "E-IO-003"},
		},
		"a module by another case": {
			map[string]string{"murmur.yaml": manifestOf("a") + "requires_files: [CAPSULE.wasm]\n", "capsule.wasm": module, "CAPSULE.wasm": "x"},
			[]string{"have one name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tempdir.New(t)
			lay(t, dir, c.files)
			_, err := pack.Build(dir)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
	_, err := pack.Build(filepath.Join(tempdir.New(t), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestALinkAmongTheFilesIsNotPacked(t *testing.T) {
	t.Parallel()
	dir, outside := tempdir.New(t), tempdir.New(t)
	lay(t, outside, map[string]string{"a.txt": "secret"})
	lay(t, dir, source)
	require.NoError(t, os.Remove(filepath.Join(dir, "a.txt")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "a.txt"), filepath.Join(dir, "a.txt")))
	_, err := pack.Build(dir)
	require.ErrorContains(t, err, beneath.ErrLink.Error())
	require.NoError(t, os.Remove(filepath.Join(dir, "a.txt")))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "a.txt"), 0o600))
	_, err = pack.Build(dir)
	assert.ErrorContains(t, err, beneath.ErrNotRegular.Error())
}

func TestBuildInputsAreWarnedOf(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	lay(t, dir, map[string]string{"murmur.yaml": manifestOf("a") + "requires_files: [go.mod]\n", "capsule.wasm": module, "go.mod": "x", "spare.wasm": "x"})
	made, err := pack.Build(dir)
	require.NoError(t, err)
	require.Len(t, made.Package.Warnings, 2)
	assert.Equal(t, "W-BLD-002", made.Package.Warnings[0].Code)
	assert.Equal(t, "W-BLD-003", made.Package.Warnings[1].Code)
}
