package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
	"rookery/supervisor/store"
)

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// core begins every module that is no component.
const core = "\x00asm\x01\x00\x00\x00"

// folder is removed when the test ends.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// capsule writes a package into dir.
func capsule(t *testing.T, dir, name, version, module string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	manifest := fmt.Sprintf("name: %s\nversion: %s\nmur_version: 0.8.0\n", name, version)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "murmur.yaml"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "capsule.wasm"), []byte(module), 0o600))
}

// bench is a state folder with a ledger, a store with one capsule, and a compiler.
type bench struct {
	t      *testing.T
	state  layout.State
	module string // path
	entry  *catalog.Entry
	book   *ledger.Book
	log    bytes.Buffer
	// compiled counts the calls of the compiler, which upper-cases a module.
	compiled atomic.Int32
	// enter, if set, is called at the compiler's beginning.
	enter func(context.Context) error
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := folder(t)
	state, err := layout.Create(filepath.Join(dir, "state"))
	require.NoError(t, err)
	capsules := filepath.Join(dir, "capsules")
	capsule(t, filepath.Join(capsules, "one"), "one", "1.0.0", core+"content")
	c, errs := catalog.Open([]string{capsules})
	require.Empty(t, errs)
	entry, err := c.Lookup("one", "1.0.0")
	require.NoError(t, err)
	b := &bench{t: t, state: state, module: filepath.Join(capsules, "one", "capsule.wasm"), entry: entry}
	s, warning, err := store.Open(state.DB(), patience)
	require.NoError(t, err)
	require.Empty(t, warning)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	b.book, err = ledger.Open(t.Context(), s)
	require.NoError(t, err)
	return b
}

// cache is the cache of one life of the supervisor.
func (b *bench) cache(engine string) *catalog.Cache {
	b.t.Helper()
	return b.open(b.config(engine))
}

func (b *bench) config(engine string) catalog.Config {
	return catalog.Config{
		State: b.state, EngineKey: engine, Compile: b.compile, Digests: b.book, Log: zerolog.New(&b.log).Level(zerolog.WarnLevel),
	}
}

func (b *bench) open(config catalog.Config) *catalog.Cache {
	b.t.Helper()
	cache, err := catalog.NewCache(config)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, cache.Close()) })
	return cache
}

func (b *bench) compile(ctx context.Context, in, out *os.File) error {
	b.compiled.Add(1)
	if b.enter != nil {
		if err := b.enter(ctx); err != nil {
			return err
		}
	}
	module, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if _, err := in.WriteAt([]byte("x"), 0); err == nil {
		return errors.New("the module could be written to")
	}
	_, err = out.Write(bytes.ToUpper(module))
	return err
}

// native asks the cache and returns what is in the file.
func (b *bench) native(cache *catalog.Cache) string {
	b.t.Helper()
	file, digest, err := cache.Native(b.t.Context(), b.entry)
	require.NoError(b.t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	require.NoError(b.t, err)
	assert.Equal(b.t, sha(string(content)), digest)
	_, err = file.WriteAt([]byte("x"), 0)
	require.Error(b.t, err, "the file can be written to")
	return string(content)
}

// files lists the folder of native code.
func (b *bench) files() (names []string) {
	b.t.Helper()
	entries, err := os.ReadDir(b.state.Modules())
	require.NoError(b.t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// path is the one file of native code.
func (b *bench) path() string {
	b.t.Helper()
	names, err := filepath.Glob(filepath.Join(b.state.Modules(), "*.cwasm"))
	require.NoError(b.t, err)
	require.Len(b.t, names, 1)
	return names[0]
}

// settle waits until the file's times prove something.
func (b *bench) settle(path string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		info, err := os.Stat(path)
		return err == nil && time.Since(info.ModTime()) > 300*time.Millisecond
	}, patience, 10*time.Millisecond)
}

// rewrite changes a file in its place.
func (b *bench) rewrite(path, content string) {
	b.t.Helper()
	require.NoError(b.t, os.Chmod(path, 0o600))
	require.NoError(b.t, os.WriteFile(path, []byte(content), 0o600))
}
