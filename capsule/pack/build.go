package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	"rookery/capsule/pack/internal/zipfile"
)

// Archive is a package made into one file.
type Archive struct {
	// Name is what a store calls the file.
	Name string
	Data []byte
	// Digest is the SHA-256 of Data in lower-case hex, which belongs beside the file,
	// see [Sidecar].
	Digest string
	// Package is what the archive holds; its Path is Name.
	Package *Package
}

// Build makes an archive of the package that is the folder dir: the manifest, the
// module and the files that the manifest requires, nothing else. The same content
// gives the same bytes. The errors are those of [Open], and of an archive that Open
// would not take.
func Build(dir string) (*Archive, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", dir, err)
	}
	folder, err := beneath.Open(absolute)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", dir, err)
	}
	defer folder.Close()
	p, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	data, err := write(inFolder{folder}, p.members())
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", dir, err)
	}
	sum := sha256.Sum256(data)
	made := &Archive{
		Name: p.Manifest.Name + "-" + p.Manifest.Version + ArchiveSuffix,
		Data: data, Digest: hex.EncodeToString(sum[:]),
	}
	// Nothing leaves that could not be read back; files may also have changed.
	if made.Package, err = readZip(made.Name, bytes.NewReader(data), made.Digest); err != nil {
		return nil, fmt.Errorf("read back what was made of %s: %w", dir, err)
	}
	made.Package.Warnings = p.Warnings
	return made, nil
}

// members are the names of what is packed, sorted.
func (p *Package) members() []string {
	names := append([]string{layout.ManifestFile, p.module}, p.Manifest.RequiresFiles...)
	slices.Sort(names)
	return slices.Compact(names)
}

// written is the time of every entry, the earliest that the format can say; times
// and modes of files are not content.
var written = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// memberMode is the mode of every entry.
const memberMode = 0o644

// write makes an archive of these files.
func write(from source, names []string) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	left := int64(zipfile.MaxUnpacked)
	for _, name := range names {
		size, err := add(archive, from, name, left)
		if err != nil {
			return nil, err
		}
		left -= size
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// add adds one file of at most limit bytes.
func add(archive *zip.Writer, from source, name string, limit int64) (int64, error) {
	file, err := from.open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: written}
	header.SetMode(memberMode)
	entry, err := archive.CreateHeader(header)
	if err != nil {
		return 0, fmt.Errorf("pack %s: %w", name, err)
	}
	size, err := io.Copy(entry, io.LimitReader(file, limit+1))
	if err == nil && size > limit {
		err = fmt.Errorf("with it the package has more than %d bytes", int64(zipfile.MaxUnpacked))
	}
	if err != nil {
		return 0, fmt.Errorf("pack %s: %w", name, err)
	}
	return size, nil
}
