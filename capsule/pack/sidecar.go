package pack

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"rookery/capsule/beneath"
)

// maxSidecar bounds the file with a digest, in bytes: one line as sha256sum writes
// it, with the longest name.
const maxSidecar = 512

// Sidecar is the path of the file that holds the digest of the archive at path.
func Sidecar(path string) string { return strings.TrimSuffix(path, ArchiveSuffix) + ".sha256" }

// shown is how much of a digest a person is told, in hex digits.
const shown = 12

// checkSidecar compares an archive's digest with the one beside it.
func checkSidecar(folder *beneath.Dir, archive, digest string) error {
	name := Sidecar(archive)
	text, err := folder.ReadRegular(name, maxSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s beside it to verify it by (%s)", name, CodeIntegrity)
	}
	if err != nil {
		return err
	}
	stated, err := parseSidecar(string(text), archive)
	switch {
	case err != nil:
		return fmt.Errorf("%s beside it: %w (%s)", name, err, CodeIntegrity)
	case stated != digest:
		return fmt.Errorf("its SHA-256 begins with %s, %s says %s (%s)", digest[:shown], name, stated[:shown], CodeIntegrity)
	}
	return nil
}

// parseSidecar reads a digest in hex, alone or in a line as sha256sum writes it for
// the archive of this name.
func parseSidecar(text, archive string) (string, error) {
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return "", errors.New("it is empty")
	case len(fields) == 2 && strings.TrimPrefix(fields[1], "*") != archive:
		return "", fmt.Errorf("it speaks of %.120q", fields[1])
	case len(fields) > 2:
		return "", errors.New("it holds more than one digest")
	}
	if raw, err := hex.DecodeString(fields[0]); err != nil || len(raw) != 32 {
		return "", fmt.Errorf("%.80q is no SHA-256 in hex", fields[0])
	}
	return strings.ToLower(fields[0]), nil
}
