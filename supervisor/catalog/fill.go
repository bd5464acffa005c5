package catalog

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
)

// readOnly is the mode of finished native code: nobody writes to what workers
// have mapped.
const readOnly = 0o400

// fill makes the native code of a key unless somebody else has by now. One call
// runs for one key.
func (c *Cache) fill(ctx context.Context, entry *Entry, module, key string) error {
	file, _, err := c.open(key)
	switch {
	case err == nil:
		return file.Close()
	case !errors.Is(err, errUnfit):
		return err
	case !errors.Is(err, fs.ErrNotExist):
		if err := c.setAside(entry, key, err); err != nil {
			return err
		}
	}
	return c.compile(ctx, entry, module, key)
}

// setAside keeps unfit code for whoever wants to know why, in the place of what
// was kept before under this key.
func (c *Cache) setAside(entry *Entry, key string, why error) error {
	aside := c.name(key) + ".corrupt"
	if err := c.folder.RemoveAll(aside); err != nil {
		return err
	}
	if err := unix.Renameat(c.folder.FD(), c.name(key), c.folder.FD(), aside); err != nil {
		return fmt.Errorf("set %s aside: %w", c.name(key), err)
	}
	c.config.Log.Warn().Str("capsule", entry.Manifest.Name).Str("version", entry.Manifest.Version).
		Str("kept_as", aside).Err(why).Msg("native code was not used; it is compiled anew")
	return nil
}

// compile puts new native code in the key's place, whole and durable. Its digest
// is recorded first: a file without one is never ours, a digest without a file
// means that nothing is there yet.
func (c *Cache) compile(ctx context.Context, entry *Entry, module, key string) error {
	in, err := entry.snapshot(module)
	if err != nil {
		return err
	}
	defer in.Close()
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	temporary := atomicfile.TempPrefix + hex.EncodeToString(random[:])
	out, err := c.folder.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	began := time.Now()
	err = c.config.Compile(ctx, in, out)
	if err == nil {
		c.config.Log.Info().Str("capsule", entry.Manifest.Name).Str("version", entry.Manifest.Version).
			Int64("duration_ms", time.Since(began).Milliseconds()).Msg("compiled")
		err = c.finish(ctx, key, out)
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = unix.Renameat(c.folder.FD(), temporary, c.folder.FD(), c.name(key))
	}
	if err != nil {
		return errors.Join(err, c.folder.Remove(temporary))
	}
	return c.folder.Sync()
}

// finish makes what was compiled durable and unwritable, and records its digest.
func (c *Cache) finish(ctx context.Context, key string, out *os.File) error {
	info, err := out.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errors.New("the compiler wrote nothing")
	}
	if err := errors.Join(out.Chmod(readOnly), out.Sync()); err != nil {
		return err
	}
	var fresh stamped
	digest, err := fresh.of(out)
	if err != nil {
		return err
	}
	return c.config.Digests.PutNativeDigest(ctx, key, digest)
}
