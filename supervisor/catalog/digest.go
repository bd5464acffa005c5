package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/pack"
)

// settled is how long a file must have been left alone before its times are taken
// as proof that it is the same: a write within one tick of the kernel's clock (10
// ms at most) leaves them as they are.
const settled = 100 * time.Millisecond

// state is what tells that an open file is still the one that was read, with the
// same content.
type state struct {
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
}

func stateOf(file *os.File) (state, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		return state{}, fmt.Errorf("stat %s: %w", file.Name(), err)
	}
	return state{
		dev: stat.Dev, ino: stat.Ino, size: stat.Size, mtime: stat.Mtim, ctime: stat.Ctim,
	}, nil
}

// stamped remembers the digest of a file and the state it was read in. The zero
// value remembers nothing. It may be used from any goroutine.
type stamped struct {
	mu     sync.Mutex
	state  state
	digest string
}

// of returns the SHA-256 of the file in hex: the remembered one when the file is
// the one that was read, else by reading it whole. Others who ask meanwhile wait
// for that.
func (s *stamped) of(file *os.File) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := stateOf(file)
	if err != nil {
		return "", err
	}
	if s.digest != "" && s.state == before {
		return s.digest, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, before.size)); err != nil {
		return "", fmt.Errorf("read %s: %w", file.Name(), err)
	}
	after, err := stateOf(file)
	if err != nil {
		return "", err
	}
	if before != after {
		return "", fmt.Errorf("%s was changed while it was read", file.Name())
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if time.Since(time.Unix(after.ctime.Unix())) > settled {
		s.state, s.digest = after, digest
	}
	return digest, nil
}

// Digest returns the SHA-256 of the module in lower-case hex: that of an archive as
// it was verified when the catalog was opened, that of a folder as it is now.
func (e *Entry) Digest() (string, error) {
	if pinned := e.Pinned(); pinned != "" {
		return pinned, nil
	}
	module, err := e.OpenModule()
	if err != nil {
		return "", err
	}
	defer module.Close()
	return e.module.of(module)
}

// snapshot copies the module into memory that nobody can write to, so that what is
// compiled is what has the digest. The caller closes the file.
func (e *Entry) snapshot(digest string) (*os.File, error) {
	module, err := e.OpenModule()
	if err != nil {
		return nil, err
	}
	if e.Pinned() != "" {
		return module, nil // it is such a copy
	}
	defer module.Close()
	copied, found, err := pack.Seal(module.Name(), module, pack.MaxModule)
	switch {
	case err != nil:
		return nil, err
	case found != digest:
		return nil, errors.Join(fmt.Errorf("%s was changed while it was read", module.Name()), copied.Close())
	}
	return copied, nil
}
