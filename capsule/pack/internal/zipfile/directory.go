package zipfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	directoryMark   = 0x02014b50
	directoryHeader = 46 // bytes before the name

	stored   = 0
	deflated = 8

	// What an entry's flags may say: how hard it was deflated, that its sizes follow
	// the data, that its name is UTF-8.
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	knownFlags     = 1<<1 | 1<<2 | flagDescriptor | 1<<11

	// The kinds of a Unix mode.
	kindMask    = 0o170000
	kindFolder  = 0o040000
	kindRegular = 0o100000
	kindLink    = 0o120000
)

// parse reads a directory that must hold count entries and nothing else.
func parse(directory []byte, count int) ([]*Entry, error) {
	var entries []*Entry
	var total int64
	for range count {
		entry, rest, err := parseOne(directory)
		if err != nil {
			return nil, err
		}
		if total += entry.Size; total > MaxUnpacked {
			return nil, fmt.Errorf("unpacked it has %d bytes or more, the limit is %d", total, int64(MaxUnpacked))
		}
		entries, directory = append(entries, entry), rest
	}
	if len(directory) > 0 {
		return nil, errors.New("its directory holds more than its entries")
	}
	return entries, nil
}

func parseOne(directory []byte) (*Entry, []byte, error) {
	word, half := binary.LittleEndian.Uint32, binary.LittleEndian.Uint16
	if len(directory) < directoryHeader || word(directory) != directoryMark {
		return nil, nil, errors.New("its directory is damaged")
	}
	name, extra, comment := int(half(directory[28:])), int(half(directory[30:])), int(half(directory[32:]))
	whole := directoryHeader + name + extra + comment
	if len(directory) < whole {
		return nil, nil, errors.New("its directory is damaged")
	}
	entry := &Entry{
		Name:   string(directory[directoryHeader : directoryHeader+name]),
		Size:   int64(word(directory[24:])),
		flags:  half(directory[8:]),
		method: half(directory[10:]),
		sum:    word(directory[16:]),
		packed: int64(word(directory[20:])),
		at:     int64(word(directory[42:])),
	}
	mode := word(directory[38:]) >> 16
	err := cmp.Or(
		checkName(entry.Name), entry.check(mode), checkExtra(directory[directoryHeader+name:directoryHeader+name+extra]),
	)
	if err == nil && half(directory[34:]) != noDisk {
		err = errors.New("it lies in another part of a split archive")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("entry %.120q: %w", entry.Name, err)
	}
	return entry, directory[whole:], nil
}

// check looks at what an entry says of itself; mode is that of Unix, 0 if it was
// made elsewhere.
func (e *Entry) check(mode uint32) error {
	switch kind := mode & kindMask; {
	case e.Size == zip64Sentinel || e.packed == zip64Sentinel || e.at == zip64Sentinel:
		return errZip64
	case e.flags&flagEncrypted != 0:
		return errors.New("it is encrypted")
	case e.flags&^knownFlags != 0:
		return fmt.Errorf("its flags %#x are not known", e.flags)
	case kind == kindLink:
		return errors.New("it is a link")
	case kind == kindFolder && !e.folder(), kind == kindRegular && e.folder():
		return errors.New("its name and its mode disagree on whether it is a folder")
	case kind != 0 && kind != kindFolder && kind != kindRegular:
		return fmt.Errorf("it is no regular file (mode %#o)", mode)
	case e.folder() && e.Size > 0:
		return errors.New("it is a folder with content")
	case e.method != stored && e.method != deflated:
		return fmt.Errorf("its method %d is not read, only stored and deflated", e.method)
	case e.method == stored && e.Size != e.packed:
		return fmt.Errorf("it is stored, but in %d bytes and not in %d", e.packed, e.Size)
	case e.Size/maxRatio > e.packed:
		return fmt.Errorf("%d bytes cannot come of %d deflated ones", e.Size, e.packed)
	}
	return nil
}

var errZip64 = errors.New("it uses zip64, which nothing of this size needs")

// The kinds of extra fields that change what an entry is or is called.
const (
	extraZip64       = 0x0001
	extraUnicodeName = 0x7075
)

// checkExtra refuses extra fields that some readers act on and others do not.
func checkExtra(extra []byte) error {
	for len(extra) > 0 {
		if len(extra) < 4 {
			return errors.New("its extra fields are damaged")
		}
		kind, length := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		switch {
		case len(extra) < 4+length:
			return errors.New("its extra fields are damaged")
		case kind == extraZip64:
			return errZip64
		case kind == extraUnicodeName:
			return errors.New("it has a second name in an extra field")
		}
		extra = extra[4+length:]
	}
	return nil
}
