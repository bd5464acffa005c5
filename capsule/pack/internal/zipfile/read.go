package zipfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Archive is an archive whose directory was found to be sound.
type Archive struct {
	// Entries are in the order of the directory.
	Entries []*Entry
	// Outside are the names of entries that would lie outside the archive's root:
	// absolute, or with a "..". They are not among the entries.
	Outside []string

	data io.ReaderAt
}

// Data is an archive's bytes: a file, or a bytes.Reader.
type Data interface {
	io.ReaderAt
	io.Seeker
}

// Entry is one file or folder of an archive.
type Entry struct {
	// Name has slashes, and one at its end if the entry is a folder.
	Name string
	// Size is the size of what Open yields, in bytes.
	Size int64

	flags, method uint16
	sum           uint32
	packed        int64 // bytes
	at            int64 // of the header beside the data
	data          int64 // offset; known once the headers were compared
}

// Find returns the file of this name, or nil.
func (a *Archive) Find(name string) *Entry {
	for _, entry := range a.Entries {
		if entry.Name == name && !entry.folder() {
			return entry
		}
	}
	return nil
}

// ending is the length of the record that ends an archive.
const (
	ending        = 22
	endingMark    = 0x06054b50
	noDisk        = 0
	zip64Sentinel = 0xffffffff
)

// Read reads the directory of an archive and compares it with what stands beside
// each entry's data, which must not change as long as the archive is used.
func Read(data Data) (*Archive, error) {
	size, err := data.Seek(0, io.SeekEnd)
	switch {
	case err != nil:
		return nil, err
	case size > MaxArchive:
		return nil, fmt.Errorf("%d bytes, the limit is %d", size, int64(MaxArchive))
	case size < ending:
		return nil, errors.New("it is no zip archive: too short")
	}
	var end [ending]byte
	if _, err := data.ReadAt(end[:], size-ending); err != nil {
		return nil, fmt.Errorf("read its end: %w", err)
	}
	word, half := binary.LittleEndian.Uint32, binary.LittleEndian.Uint16
	count, length, at := int(half(end[10:])), int64(word(end[12:])), int64(word(end[16:]))
	switch {
	case word(end[:]) != endingMark || half(end[20:]) != 0:
		return nil, errors.New("it does not end as a zip archive does: it was cut, or something follows the directory")
	case half(end[4:]) != noDisk || half(end[6:]) != noDisk || int(half(end[8:])) != count:
		return nil, errors.New("it is one part of a split archive")
	case count == 0:
		return nil, errors.New("it is empty")
	case count > MaxEntries:
		return nil, fmt.Errorf("%d entries, the limit is %d", count, MaxEntries)
	case length > maxDirectory:
		return nil, fmt.Errorf("its directory has %d bytes, the limit is %d", length, maxDirectory)
	case at+length != size-ending:
		return nil, errors.New("its directory is not where its end says")
	}
	directory := make([]byte, length)
	if _, err := data.ReadAt(directory, at); err != nil {
		return nil, fmt.Errorf("read its directory: %w", err)
	}
	entries, err := parse(directory, count)
	if err != nil {
		return nil, err
	}
	if err := tile(data, entries, at); err != nil {
		return nil, err
	}
	a := &Archive{data: data, Entries: entries}
	if err := distinct(entries); err != nil {
		return nil, err
	}
	a.Entries = slices.DeleteFunc(a.Entries, func(e *Entry) bool {
		if outside(e.Name) {
			a.Outside = append(a.Outside, e.Name)
			return true
		}
		return false
	})
	return a, nil
}
