package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// bbolt maps its file and believes every page; what a damaged one does to it can
// end the process, in a goroutine where nobody can recover. So the shape of the
// file is proven first, in meta.go, tree.go, bucket.go and here, with bounded
// reads. The numbers are those of bbolt 1.5.0, package internal/common: page.go,
// bucket.go, meta.go and types.go; how it fills pages is in inode.go there and in
// node.go. Integers have the byte order of the machine.
const (
	pageHeader  = 16 // id 8, flags 2, count 2, overflow 4
	elementSize = 16 // branch: position 4, key size 4, page 8; leaf: flags, position, key size, value size 4 each

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketFlag   = 0x01 // of a leaf's element

	// maxRun bounds a page with its overflow, in bytes. bbolt leaves at most four
	// rows on a page that they overfill (node.go, splitTwo); this is room for five.
	maxRun = 5 * MaxValue
)

// page is a page with its overflow, or one inside the value of a bucket.
type page struct {
	id       uint64
	flags    uint16
	count    uint16
	overflow uint32
	data     []byte // with the header
}

// asPage reads the header; data is at least as long.
func asPage(data []byte) page {
	return page{
		id:       u64(data),
		flags:    binary.NativeEndian.Uint16(data[8:]),
		count:    binary.NativeEndian.Uint16(data[10:]),
		overflow: u32(data[12:]),
		data:     data,
	}
}

// element is one entry: of a branch, which has a child, or of a leaf.
type element struct {
	flags      uint32
	child      uint64
	key, value []byte
}

// elements reads the entries of a branch or a leaf and says where the last ends.
// bbolt packs them: the data of the first follows the table, each other follows
// the one before. That is asked here, so that a wrong count or size shows too.
func (p page) elements() (all []element, end uint64, err error) {
	end = pageHeader + elementSize*uint64(p.count)
	if end > uint64(len(p.data)) {
		return nil, 0, damage("%d elements in %d bytes", p.count, len(p.data))
	}
	all = make([]element, p.count)
	for i := range all {
		at := pageHeader + elementSize*uint64(i)
		table := p.data[at:]
		e, position, keySize, valueSize := element{}, u32(table), u32(table[4:]), uint32(0)
		if p.flags == leafPage {
			e.flags, position, keySize, valueSize = position, keySize, u32(table[8:]), u32(table[12:])
		} else {
			e.child = u64(table[8:])
		}
		value := end + uint64(keySize)
		next := value + uint64(valueSize)
		switch {
		case at+uint64(position) != end:
			return nil, 0, damage("element %d lies at %d instead of %d", i, at+uint64(position), end)
		case keySize == 0 || next > uint64(len(p.data)):
			return nil, 0, damage("element %d has a key of %d and a value of %d bytes at %d of %d", i, keySize, valueSize, end, len(p.data))
		}
		e.key, e.value = p.data[end:value], p.data[value:next]
		if i > 0 && bytes.Compare(all[i-1].key, e.key) >= 0 {
			return nil, 0, damage("key %d is not behind the one before", i)
		}
		all[i], end = e, next
	}
	return all, end, nil
}

func u32(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
