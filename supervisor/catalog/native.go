package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
	"rookery/capsule/beneath"
	"rookery/capsule/layout"
)

// Digests is where the digest of native code is recorded before it is used: the
// ledger.
type Digests interface {
	NativeDigest(key string) (digest string, ok bool)
	PutNativeDigest(ctx context.Context, key, digest string) error
}

// Config is what a Cache is made of.
type Config struct {
	// State holds the folder of native code, which no other process writes.
	State layout.State
	// EngineKey names the engine and its settings, as the worker program gives it.
	EngineKey string
	// Compile makes native code of the module on in, which is at its beginning, and
	// writes it to out. It bounds itself in time and memory.
	Compile func(ctx context.Context, in, out *os.File) error
	Digests Digests
	Log     zerolog.Logger
}

// Cache is the native code of modules. It may be used from any goroutine.
type Cache struct {
	config Config
	folder *beneath.Dir

	flights flights

	mu       sync.Mutex
	verified map[string]*stamped // by key
}

// NewCache opens the folder of native code and removes what a killed supervisor
// left half written. The caller ends it with Close.
func NewCache(config Config) (*Cache, error) {
	folder, err := beneath.Open(config.State.Modules())
	if err != nil {
		return nil, fmt.Errorf("native code: %w", err)
	}
	if _, err := atomicfile.Sweep(folder.FD()); err != nil {
		return nil, errors.Join(fmt.Errorf("native code: %w", err), folder.Close())
	}
	return &Cache{config: config, folder: folder, verified: map[string]*stamped{}}, nil
}

// Close releases the folder. It is called when no call of Native is under way.
func (c *Cache) Close() error { return c.folder.Close() }

// key names the native code of a module for an engine. It is safe as a file name
// whatever the engine calls itself.
func (c *Cache) key(module string) string {
	sum := sha256.Sum256([]byte("rookery native code 1\n" + module + "\n" + c.config.EngineKey))
	return hex.EncodeToString(sum[:])
}

// Native returns the native code of the entry's module, open for reading, and its
// SHA-256 in lower-case hex, which was verified on this descriptor. The caller
// closes the file. What is missing is compiled, which may take seconds; ctx bounds
// it, also the wait for another caller who compiles the same.
func (c *Cache) Native(ctx context.Context, entry *Entry) (*os.File, string, error) {
	module, err := entry.Digest()
	if err != nil {
		return nil, "", err
	}
	key := c.key(module)
	file, digest, err := c.open(key)
	if file != nil || (err != nil && !errors.Is(err, errUnfit)) {
		return file, digest, err
	}
	err = c.flights.do(ctx, key, func() error { return c.fill(ctx, entry, module, key) })
	if err == nil {
		file, digest, err = c.open(key)
	}
	if err != nil {
		return nil, "", fmt.Errorf("native code of %s %s: %w", entry.Manifest.Name, entry.Manifest.Version, err)
	}
	return file, digest, nil
}

// errUnfit is native code that must not be used; the error around it says why.
var errUnfit = errors.New("unfit")

// name is the file of a key within the folder.
func (c *Cache) name(key string) string { return filepath.Base(c.config.State.Module(key)) }

// open returns the verified file of the key. Nothing there, or something unfit, is
// errUnfit.
func (c *Cache) open(key string) (*os.File, string, error) {
	recorded, known := c.config.Digests.NativeDigest(key)
	file, err := c.folder.OpenRegular(c.name(key))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("%w: %w", errUnfit, fs.ErrNotExist)
	case errors.Is(err, beneath.ErrLink), errors.Is(err, beneath.ErrNotRegular), errors.Is(err, unix.ENXIO):
		return nil, "", fmt.Errorf("%w: %w", errUnfit, err)
	case err != nil:
		return nil, "", err
	}
	if !known {
		return nil, "", errors.Join(fmt.Errorf("%w: no digest was recorded", errUnfit), file.Close())
	}
	found, err := c.stamp(key).of(file)
	if err != nil {
		return nil, "", errors.Join(err, file.Close())
	}
	if found != recorded {
		err = fmt.Errorf("%w: its digest is %s, %s was recorded when it was made", errUnfit, found, recorded)
		return nil, "", errors.Join(err, file.Close())
	}
	return file, recorded, nil
}

func (c *Cache) stamp(key string) *stamped {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.verified[key] == nil {
		c.verified[key] = new(stamped)
	}
	return c.verified[key]
}

// Files are the names, in the folder of native code, of what the entries use.
// The error is one of reading a module; the names are not complete then.
func (c *Cache) Files(entries []*Entry) (map[string]bool, error) {
	names := map[string]bool{}
	for _, e := range entries {
		module, err := e.Digest()
		if err != nil {
			return names, fmt.Errorf("module of %s %s: %w", e.Manifest.Name, e.Manifest.Version, err)
		}
		names[c.name(c.key(module))] = true
	}
	return names, nil
}
