package store

import "fmt"

// bucketHeader is bbolt's InBucket: the root page 8, or 0 for a bucket whose one
// page follows in the value, and a sequence 8 that is not used here.
const bucketHeader = 16

// bucket proves an entry of the root tree, which is a bucket.
func (t *tree) bucket(e element) error {
	if e.flags != bucketFlag || len(e.value) < bucketHeader {
		return damage("%.80q is no bucket: flags %#x, %d bytes", e.key, e.flags, len(e.value))
	}
	root, inline := u64(e.value), e.value[bucketHeader:]
	var err error
	switch {
	case root == 0:
		err = inlineBucket(inline)
	case len(inline) != 0:
		err = damage("%d bytes behind its header", len(inline))
	default:
		_, err = t.walk(root, nil, nil, maxDepth, row)
	}
	if err != nil {
		return fmt.Errorf("bucket %.80q: %w", e.key, err)
	}
	return nil
}

// inlineBucket proves a page inside a value: a leaf without id that fills it.
func inlineBucket(data []byte) error {
	if len(data) < pageHeader {
		return damage("an inline page of %d bytes", len(data))
	}
	p := asPage(data)
	if p.id != 0 || p.flags != leafPage || p.overflow != 0 {
		return damage("an inline page with id %d, flags %#x, overflow %d", p.id, p.flags, p.overflow)
	}
	all, end, err := p.elements()
	if err != nil {
		return err
	}
	if end != uint64(len(data)) {
		return damage("an inline page of %d bytes in %d", end, len(data))
	}
	for _, e := range all {
		if err := row(e); err != nil {
			return err
		}
	}
	return nil
}

// row proves an entry of a bucket, which holds no buckets.
func row(e element) error {
	if e.flags != 0 {
		return damage("row %.80q has flags %#x", e.key, e.flags)
	}
	return nil
}
