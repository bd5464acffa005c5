package outcome

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
)

// maxResultBytes bounds the whole answer the host reads and keeps. The reader
// holds it in memory, several at a time.
const maxResultBytes = 64 << 20

// ReadResult reads the answer that an ended child left, and says where it was.
// The places, in order: the records folder, then the work folder; in each the
// task's own file (when taskID is known), then the common one. A folder that is
// nil is passed over.
//
// A link or anything but a regular file is not an answer: the next place is tried,
// and when none holds one, the error says what was refused. A file over 64 MiB
// ends the search with beneath.ErrTooLarge, so that an older answer is not taken
// for it. Bytes that are not UTF-8 are replaced: a file that is there is never
// reported as missing.
func ReadResult(records, work *beneath.Dir, taskID string) (text, path string, found bool, err error) {
	names := []string{layout.ResultFile}
	if taskID != "" {
		names = []string{layout.TaskResultFile(taskID), layout.ResultFile}
	}
	var refused []error
	for _, folder := range []*beneath.Dir{records, work} {
		if folder == nil {
			continue
		}
		for _, name := range names {
			data, err := folder.ReadRegular(name, maxResultBytes)
			switch {
			case err == nil:
				return strings.ToValidUTF8(string(data), "\uFFFD"), filepath.Join(folder.Name(), name), true, nil
			case errors.Is(err, beneath.ErrTooLarge):
				return "", "", false, fmt.Errorf("result: %w", err)
			case !errors.Is(err, fs.ErrNotExist):
				refused = append(refused, fmt.Errorf("result: %w", err))
			}
		}
	}
	return "", "", false, errors.Join(refused...)
}
