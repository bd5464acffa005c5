package zipfile

import (
	"bufio"
	"compress/flate"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// Open returns a reader of the entry's content. It ends with io.EOF only after
// exactly Size bytes whose checksum is right; it never yields more.
func (a *Archive) Open(e *Entry) io.Reader {
	// flate takes no more bytes than it needs of a reader that has ReadByte, so that
	// what is left over can be seen.
	packed := bufio.NewReader(io.NewSectionReader(a.data, e.data, e.packed))
	r := &content{entry: e, packed: packed, plain: packed, sum: crc32.NewIEEE()}
	if e.method == deflated {
		r.plain = flate.NewReader(packed)
	}
	return r
}

// content reads one entry.
type content struct {
	entry  *Entry
	packed *bufio.Reader
	plain  io.Reader
	sum    hash.Hash32
	read   int64
	err    error
}

func (c *content) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.plain.Read(p)
	if left := c.entry.Size - c.read; int64(n) > left {
		n, err = int(left), errors.New("it unpacks to more than its size")
	}
	c.read += int64(n)
	_, _ = c.sum.Write(p[:n]) // a hash never fails
	if errors.Is(err, io.EOF) {
		err = c.end()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("entry %.120q: %w", c.entry.Name, err)
	}
	c.err = err
	return n, err
}

// end is io.EOF if the content was what the entry promised.
func (c *content) end() error {
	switch {
	case c.read != c.entry.Size:
		return fmt.Errorf("it unpacks to %d bytes, its size is %d", c.read, c.entry.Size)
	case c.sum.Sum32() != c.entry.sum:
		return errors.New("its content and its checksum disagree")
	}
	if _, err := c.packed.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its deflated data")
	}
	return io.EOF
}
