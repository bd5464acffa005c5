package store

import (
	"bytes"
	"fmt"
	"io"
)

// maxDepth bounds the branches above a leaf: bbolt maps at most 2^48 bytes, in
// pages of 2^10 or more, and every branch has two children or more.
const maxDepth = 38

// minChildren is bbolt's MinKeysPerPage: it splits and merges branches so, and
// panics in a later commit where one has less.
const minChildren = 2

// tree is one look through the pages of a file.
type tree struct {
	file     io.ReaderAt
	pageSize uint64
	seen     []bool // by page: something refers to it
}

// checkPages returns ErrDamaged unless the newest state in the file has the shape
// in which bbolt writes it, as far as this package uses bbolt: the root tree holds
// buckets, buckets hold rows, and no list of free pages is kept. Then bbolt can
// walk it without panic and inside the file. What the rows say is not looked at.
// Memory: the pages between the root and a leaf, plus a byte for each page.
func checkPages(file io.ReaderAt, size int64) error {
	m, err := newestMeta(file)
	if err != nil {
		return err
	}
	if has := uint64(size) / m.pageSize; m.pages > has {
		return damage("cut to %d of %d pages", has, m.pages)
	}
	t := tree{file: file, pageSize: m.pageSize, seen: make([]bool, m.pages)}
	for id := range min(m.pages, 2) {
		t.seen[id] = true
	}
	if m.freelist != noFreelist {
		// bbolt makes one with the file, and the first commit drops it.
		if p, err := t.read(m.freelist); err != nil {
			return fmt.Errorf("list of free pages: %w", err)
		} else if p.flags != freelistPage || p.count != 0 {
			return damage("page %d is no empty list of free pages: flags %#x, count %d", p.id, p.flags, p.count)
		}
	}
	_, err = t.walk(m.root, nil, nil, maxDepth, t.bucket)
	return err
}

// claim notes that something refers to the page; only one thing may.
func (t *tree) claim(id uint64) error {
	switch {
	case id >= uint64(len(t.seen)):
		return damage("page %d of %d", id, len(t.seen))
	case t.seen[id]:
		return damage("page %d is referred to twice", id)
	}
	t.seen[id] = true
	return nil
}

// read claims a page with its overflow and returns it.
func (t *tree) read(id uint64) (page, error) {
	if err := t.claim(id); err != nil {
		return page{}, err
	}
	data := make([]byte, t.pageSize)
	if _, err := t.file.ReadAt(data, int64(id*t.pageSize)); err != nil {
		return page{}, err
	}
	p := asPage(data)
	switch {
	case p.id != id:
		return page{}, damage("page %d calls itself %d", id, p.id)
	case p.overflow == 0:
		return p, nil
	case uint64(p.overflow) > maxRun/t.pageSize:
		return page{}, damage("page %d has an overflow of %d pages", id, p.overflow)
	}
	for next := range uint64(p.overflow) {
		if err := t.claim(id + 1 + next); err != nil {
			return page{}, fmt.Errorf("overflow of page %d: %w", id, err)
		}
	}
	p.data = make([]byte, (1+uint64(p.overflow))*t.pageSize)
	_, err := t.file.ReadAt(p.data, int64(id*t.pageSize))
	return p, err
}

// walk proves the pages from id down. low, unless nil, is the key under which the
// parent has the page, and is its first; every key is below high, unless that is
// nil. leaf is called for each entry of a leaf. The height is the same for all
// pages of a level: bbolt merges neighbours without asking what they are.
func (t *tree) walk(id uint64, low, high []byte, depth int, leaf func(element) error) (height int, err error) {
	p, err := t.read(id)
	if err != nil {
		return 0, err
	}
	if p.flags != branchPage && p.flags != leafPage {
		return 0, damage("page %d is neither branch nor leaf: flags %#x", id, p.flags)
	}
	all, end, err := p.elements()
	switch {
	case err != nil:
		return 0, fmt.Errorf("page %d: %w", id, err)
	case (end-1)/t.pageSize != uint64(p.overflow):
		return 0, damage("page %d has %d bytes and an overflow of %d pages", id, end, p.overflow)
	case low != nil && (len(all) == 0 || !bytes.Equal(all[0].key, low)):
		return 0, damage("page %d does not begin with the key that its parent has", id)
	case high != nil && bytes.Compare(all[len(all)-1].key, high) >= 0:
		return 0, damage("page %d reaches into the next", id)
	}
	if p.flags == leafPage {
		for _, e := range all {
			if err := leaf(e); err != nil {
				return 0, fmt.Errorf("page %d: %w", id, err)
			}
		}
		return 1, nil
	}
	if len(all) < minChildren {
		return 0, damage("page %d is a branch of %d children", id, len(all))
	}
	if depth == 0 {
		return 0, damage("page %d is a branch under %d others", id, maxDepth)
	}
	for i, e := range all {
		below := high
		if i+1 < len(all) {
			below = all[i+1].key
		}
		h, err := t.walk(e.child, e.key, below, depth-1, leaf)
		if err != nil {
			return 0, err
		}
		if i > 0 && h+1 != height {
			return 0, damage("children of page %d have different heights", id)
		}
		height = h + 1
	}
	return height, nil
}
