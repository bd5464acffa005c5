package zipfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	entryMark   = 0x04034b50
	entryHeader = 30 // bytes before the name

	descriptorMark = 0x08074b50
	// A descriptor is three words, with or without its mark.
	descriptor       = 12
	markedDescriptor = 16
)

// tile makes sure that the entries fill the archive up to its directory without a
// gap and without an overlap, and that each says beside its data what the directory
// says of it.
func tile(data io.ReaderAt, entries []*Entry, directory int64) error {
	ordered := slices.SortedFunc(slices.Values(entries), func(a, b *Entry) int { return cmp.Compare(a.at, b.at) })
	if first := ordered[0].at; first != 0 {
		return fmt.Errorf("%d bytes before the first entry belong to nothing", first)
	}
	for i, entry := range ordered {
		next := directory
		if i+1 < len(ordered) {
			next = ordered[i+1].at
		}
		if err := entry.place(data, next); err != nil {
			return fmt.Errorf("entry %.120q: %w", entry.Name, err)
		}
	}
	return nil
}

// errDisagrees is an archive that would be read in one way by whoever believes the
// directory, and in another by whoever reads from the beginning.
var errDisagrees = errors.New("the directory and what stands beside the data disagree")

// place finds the entry's data and compares what stands around it, up to next, with
// what the directory said.
func (e *Entry) place(data io.ReaderAt, next int64) error {
	var header [entryHeader]byte
	if e.at+entryHeader > next {
		return errors.New("it overlaps what follows")
	}
	if _, err := data.ReadAt(header[:], e.at); err != nil {
		return err
	}
	word, half := binary.LittleEndian.Uint32, binary.LittleEndian.Uint16
	name, extra := int64(half(header[26:])), int64(half(header[28:]))
	e.data = e.at + entryHeader + name + extra
	switch {
	case word(header[:]) != entryMark:
		return errors.New("the directory says that it is where it is not")
	case e.data+e.packed > next:
		return errors.New("it overlaps what follows")
	case name != int64(len(e.Name)) || half(header[6:]) != e.flags || half(header[8:]) != e.method:
		return errDisagrees
	}
	variable := make([]byte, name+extra)
	if _, err := data.ReadAt(variable, e.at+entryHeader); err != nil {
		return err
	}
	if string(variable[:name]) != e.Name {
		return errDisagrees
	}
	if err := checkExtra(variable[name:]); err != nil {
		return err
	}
	late := e.flags&flagDescriptor != 0
	if unknown := [12]byte{}; !e.agrees(header[14:]) && !(late && [12]byte(header[14:26]) == unknown) {
		return errDisagrees
	}
	gap := next - e.data - e.packed
	if late {
		return e.describe(data, gap)
	}
	if gap != 0 {
		return fmt.Errorf("%d bytes after it belong to nothing", gap)
	}
	return nil
}

// describe compares the descriptor, which is the gap bytes after the data.
func (e *Entry) describe(data io.ReaderAt, gap int64) error {
	if gap != descriptor && gap != markedDescriptor {
		return fmt.Errorf("%d bytes after it are no descriptor", gap)
	}
	words := make([]byte, gap)
	if _, err := data.ReadAt(words, e.data+e.packed); err != nil {
		return err
	}
	if gap == markedDescriptor {
		if binary.LittleEndian.Uint32(words) != descriptorMark {
			return fmt.Errorf("%d bytes after it are no descriptor", gap)
		}
		words = words[4:]
	}
	if !e.agrees(words) {
		return errDisagrees
	}
	return nil
}

// agrees compares a checksum and two sizes, as they stand in headers and
// descriptors, with the directory's.
func (e *Entry) agrees(words []byte) bool {
	word := binary.LittleEndian.Uint32
	return word(words) == e.sum && int64(word(words[4:])) == e.packed && int64(word(words[8:])) == e.Size
}
