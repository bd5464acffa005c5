package fleet

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readBounded reads a regular file of at most limit bytes. The path is the
// operator's own: links in it are followed. It never waits for a pipe. Errors do
// not name the path: the caller names it as it is written.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("more than %d bytes", limit)
	}
	return data, nil
}

func withoutPath(err error) error {
	var located *fs.PathError
	if errors.As(err, &located) {
		return located.Err
	}
	return err
}
