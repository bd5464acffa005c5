package catalog_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const native = "\x00ASM\x01\x00\x00\x00CONTENT"

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func contains(text, part string) bool { return strings.Contains(text, part) }

func TestAModuleIsCompiledOnceForAllLives(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.cache("engine")
	assert.Equal(t, native, b.native(first))
	assert.Equal(t, native, b.native(first))
	assert.Equal(t, native, b.native(b.cache("engine")))
	assert.EqualValues(t, 1, b.compiled.Load())
	assert.Len(t, b.files(), 1)
	info, err := os.Stat(b.path())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o400), info.Mode())
	assert.Empty(t, b.log.String())
}

func TestAnotherEngineOrModuleHasCodeOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cache := b.cache("engine")
	b.native(cache)
	b.native(b.cache("another engine"))
	assert.EqualValues(t, 2, b.compiled.Load())

	// Also when the module is changed beneath a running supervisor.
	b.settle(b.module)
	b.native(cache)
	require.NoError(t, os.WriteFile(b.module, []byte(core+"CONTENT"), 0o600))
	assert.Equal(t, native, b.native(cache))
	assert.EqualValues(t, 3, b.compiled.Load())
	assert.Len(t, b.files(), 3)
}

func TestUnfitCodeIsSetAsideAndMadeAnew(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*bench, string){
		"one bit is flipped": func(b *bench, path string) { b.rewrite(path, native[:9]+"C"+native[10:]) },
		"one bit is flipped and the time put back": func(b *bench, path string) {
			info, err := os.Stat(path)
			require.NoError(b.t, err)
			b.rewrite(path, native[:9]+"C"+native[10:])
			require.NoError(b.t, os.Chmod(path, info.Mode()))
			require.NoError(b.t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"it is cut":   func(b *bench, path string) { b.rewrite(path, native[:9]) },
		"it is empty": func(b *bench, path string) { b.rewrite(path, "") },
		"it is replaced": func(b *bench, path string) {
			require.NoError(b.t, os.Remove(path))
			require.NoError(b.t, os.WriteFile(path, []byte("other code"), 0o600))
		},
		"it is a link": func(b *bench, path string) {
			require.NoError(b.t, os.Rename(path, path+".moved"))
			require.NoError(b.t, os.Symlink(path+".moved", path))
		},
		"it is a folder": func(b *bench, path string) {
			require.NoError(b.t, os.Remove(path))
			require.NoError(b.t, os.MkdirAll(filepath.Join(path, "full"), 0o700))
		},
		"it was recorded otherwise": func(b *bench, path string) {
			key := strings.TrimSuffix(filepath.Base(path), ".cwasm")
			require.NoError(b.t, b.book.PutNativeDigest(b.t.Context(), key, sha("something else")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			cache := b.cache("engine")
			b.native(cache)
			path := b.path()
			b.settle(path)
			b.native(cache) // now it is remembered as verified
			for times := range 2 {
				spoil(b, path)
				assert.Equal(t, native, b.native(cache))
				assert.EqualValues(t, times+2, b.compiled.Load())
				assert.Contains(t, b.files(), filepath.Base(path)+".corrupt")
			}
			assert.Equal(t, 2, strings.Count(b.log.String(), "native code was not used; it is compiled anew"))
		})
	}
}

func TestACodeFileThatIsGoneIsMadeAnewWithoutAWarning(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cache := b.cache("engine")
	b.native(cache)
	require.NoError(t, os.Remove(b.path()))
	assert.Equal(t, native, b.native(cache))
	assert.EqualValues(t, 2, b.compiled.Load())
	assert.Empty(t, b.log.String())
}

func TestAFailedCompilationLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, enter := range map[string]func(context.Context) error{
		"the compiler fails":        func(context.Context) error { return errors.New("no such instruction") },
		"the caller's context ends": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enter = enter
			cache := b.cache("engine")
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, _, err := cache.Native(ctx, b.entry)
			require.ErrorContains(t, err, "native code of one 1.0.0: ")
			assert.Empty(t, b.files())
			b.enter = nil
			assert.Equal(t, native, b.native(cache))
		})
	}
}

func TestWhatAKilledSupervisorLeftHalfWrittenIsRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.NoError(t, os.WriteFile(filepath.Join(b.state.Modules(), ".tmp-0011223344556677"), []byte("half"), 0o600))
	b.cache("engine")
	assert.Empty(t, b.files())
}

func TestManyCallersShareOneCompilation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cache := b.cache("engine")
	var done sync.WaitGroup
	for range 50 {
		done.Go(func() { assert.Equal(t, native, b.native(cache)) })
	}
	done.Wait()
	assert.EqualValues(t, 1, b.compiled.Load())
}

func TestAnEmptyResultOfTheCompilerIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	config := b.config("engine")
	config.Compile = func(context.Context, *os.File, *os.File) error { return nil }
	cache := b.open(config)
	_, _, err := cache.Native(t.Context(), b.entry)
	require.ErrorContains(t, err, "the compiler wrote nothing")
	assert.Empty(t, b.files())
}
