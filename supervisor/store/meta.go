package store

import (
	"errors"
	"hash/fnv"
	"io"
)

const (
	metaSize    = 64 // magic, version, page size, flags 4 each; root, sequence, free list, pages, txid, checksum 8 each
	metaSum     = 56 // where the checksum lies: it covers what is before it
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	noFreelist  = 1<<64 - 1

	// bbolt looks for the second meta page at these sizes (db.go, getPageSizeFromSecondMeta).
	minPageSize = 1 << 10
	maxPageSize = 1 << 24
)

// meta is what one of the first two pages says of the file.
type meta struct{ pageSize, root, freelist, pages, txid uint64 }

// newestMeta chooses as bbolt does: the valid one of the later transaction. When
// the first is not valid, the page size is unknown and the second is searched.
func newestMeta(file io.ReaderAt) (meta, error) {
	first, ok, err := metaAt(file, 0)
	if err != nil {
		return meta{}, err
	}
	if !ok {
		return findSecond(file)
	}
	size := first.pageSize
	if size < minPageSize || size > maxPageSize || size&(size-1) != 0 {
		return meta{}, damage("pages of %d bytes", size)
	}
	second, ok, err := metaAt(file, size)
	if err != nil || !ok || second.txid <= first.txid {
		return first, err
	}
	return second, second.liesAt(size)
}

func findSecond(file io.ReaderAt) (meta, error) {
	for size := uint64(minPageSize); size <= maxPageSize; size *= 2 {
		if m, ok, err := metaAt(file, size); err != nil {
			return meta{}, err
		} else if ok {
			return m, m.liesAt(size)
		}
	}
	return meta{}, damage("neither of the first two pages is valid")
}

func (m meta) liesAt(size uint64) error {
	if m.pageSize != size {
		return damage("the second page lies at %d and speaks of pages of %d bytes", size, m.pageSize)
	}
	return nil
}

// metaAt reads the meta page at an offset, if one is there.
func metaAt(file io.ReaderAt, at uint64) (m meta, ok bool, err error) {
	var b [metaSize]byte
	if _, err := file.ReadAt(b[:], int64(at+pageHeader)); errors.Is(err, io.EOF) {
		return meta{}, false, nil
	} else if err != nil {
		return meta{}, false, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaSum]) // a hash takes everything
	ok = u32(b[0:]) == metaMagic && u32(b[4:]) == metaVersion && u64(b[metaSum:]) == sum.Sum64()
	return meta{pageSize: uint64(u32(b[8:])), root: u64(b[16:]), freelist: u64(b[32:]), pages: u64(b[40:]), txid: u64(b[48:])}, ok, nil
}
