package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
)

// MaxModule bounds a module, in bytes: several times the largest language runtime
// that is built for WebAssembly.
const MaxModule = 256 << 20

// Seal copies from, at most limit bytes, into memory that nobody can write to, and
// returns it at its beginning with its SHA-256 in lower-case hex. name is what the
// file is called. The caller closes it. A longer source is beneath.ErrTooLarge.
func Seal(name string, from io.Reader, limit int64) (*os.File, string, error) {
	fd, err := unix.MemfdCreate("package", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, "", fmt.Errorf("memory for %s: %w", name, err)
	}
	file := os.NewFile(uintptr(fd), name)
	digest, err := seal(file, from, limit)
	if err != nil {
		return nil, "", errors.Join(err, file.Close())
	}
	return file, digest, nil
}

func seal(file *os.File, from io.Reader, limit int64) (string, error) {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), io.LimitReader(from, limit+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", file.Name(), err)
	case size > limit:
		return "", fmt.Errorf("%s is %w of %d bytes", file.Name(), beneath.ErrTooLarge, limit)
	}
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return "", fmt.Errorf("seal the copy of %s: %w", file.Name(), err)
	}
	if _, err = file.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("rewind the copy of %s: %w", file.Name(), err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
