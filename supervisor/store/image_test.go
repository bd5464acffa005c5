package store_test

import (
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"
	"slices"
)

// pageSize is that of the files made here, whatever the machine's is.
const pageSize = 4096

// Fields, by their offset in a page or behind a bucket's header.
const (
	pageID, pageFlags, pageCount, pageOverflow = 0, 8, 10, 12
	firstElement, secondElement                = 16, 32
	leafFlags, leafPosition, leafKeySize       = 0, 4, 8
	leafValueSize                              = 12
	branchChild                                = 8
)

// Fields of a meta page.
const (
	metaMagic, metaVersion, metaPageSize = 16, 20, 24
	metaRoot, metaFreelist, metaPages    = 32, 48, 56
	metaTx, metaSum                      = 64, 72
)

const branchPage, leafPage, freelistPage, bucketEntry = 1, 2, 16, 1

// image is a file of bbolt, made by hand.
type image []byte

func (f image) page(id int) []byte { return f[id*pageSize:] }

func set16(b []byte, v uint16) { binary.NativeEndian.PutUint16(b, v) }
func set32(b []byte, v uint32) { binary.NativeEndian.PutUint32(b, v) }
func set64(b []byte, v uint64) { binary.NativeEndian.PutUint64(b, v) }

// entry is one of a leaf, or of a branch, which has a child.
type entry struct {
	flags      uint32
	key, value string
	child      uint64
}

// pageOf lays a page out as bbolt does, without padding.
func pageOf(id uint64, flags uint16, entries ...entry) []byte {
	b := make([]byte, 16+16*len(entries))
	for i, e := range entries {
		at := firstElement + 16*i
		table := b[at : at+16]
		if flags == leafPage {
			set32(table, e.flags)
			set32(table[leafPosition:], uint32(len(b)-at))
			set32(table[leafKeySize:], uint32(len(e.key)))
			set32(table[leafValueSize:], uint32(len(e.value)))
		} else {
			set32(table, uint32(len(b)-at))
			set32(table[4:], uint32(len(e.key)))
			set64(table[branchChild:], e.child)
		}
		b = slices.Concat(b, []byte(e.key), []byte(e.value))
	}
	set64(b[pageID:], id)
	set16(b[pageFlags:], flags)
	set16(b[pageCount:], uint16(len(entries)))
	set32(b[pageOverflow:], uint32((len(b)-1)/pageSize))
	return b
}

// put replaces a page.
func (f image) put(id int, flags uint16, entries ...entry) {
	b := pageOf(uint64(id), flags, entries...)
	room := f.page(id)[:(len(b)+pageSize-1)/pageSize*pageSize]
	clear(room[copy(room, b):])
}

// metas changes both meta pages and gives them a new checksum.
func (f image) metas(change func(b []byte)) {
	for id := range 2 {
		b := f.page(id)[:pageSize]
		change(b)
		sum := fnv.New64a()
		_, _ = sum.Write(b[metaMagic:metaSum])
		set64(b[metaSum:], sum.Sum64())
	}
}

// row is an entry with the checksum that this package puts before a value.
func row(bucket, key, value string) entry {
	sum := crc32.Checksum([]byte(bucket+"\x00"+key+"\x00"+value), crc32.MakeTable(crc32.Castagnoli))
	return entry{key: key, value: string(binary.BigEndian.AppendUint32(nil, sum)) + value}
}

// bucketAt is the value of a bucket with a root page, or with what follows it.
func bucketAt(root uint64, follows string) string {
	b := make([]byte, 16)
	set64(b, root)
	return string(b) + follows
}

// newImage makes a file whose newest state is in page 0: the root has an inline
// bucket and one of a branch and three leaves, the second with an overflow.
func newImage(pages int) image {
	f := make(image, pages*pageSize)
	f.metas(func(b []byte) {
		set16(b[pageFlags:], 4)
		set32(b[metaMagic:], 0xED0CDAED)
		set32(b[metaVersion:], 2)
		set32(b[metaPageSize:], pageSize)
		set64(b[metaRoot:], 2)
		set64(b[metaFreelist:], 1<<64-1)
		set64(b[metaPages:], uint64(pages))
	})
	set64(f.page(1), 1)
	inline := pageOf(0, leafPage, row("few", "a", "1"), row("few", "b", "2"))
	f.put(2, leafPage,
		entry{flags: bucketEntry, key: "few", value: bucketAt(0, string(inline))},
		entry{flags: bucketEntry, key: "rows", value: bucketAt(3, "")})
	f.put(3, branchPage, entry{key: "a", child: 4}, entry{key: "m", child: 5}, entry{key: "x", child: 7})
	f.put(4, leafPage, row("rows", "a", "1"), row("rows", "b", "2"))
	f.put(5, leafPage, row("rows", "m", string(make([]byte, pageSize))))
	f.put(7, leafPage, row("rows", "x", "3"), row("rows", "y", "4"))
	f.put(8, freelistPage)
	return f
}

// few is the inline page in the image.
func (f image) few() []byte { return f.page(2)[16+2*16+len("few")+16:] }
