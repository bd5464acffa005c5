package admission

import (
	"fmt"
	"unicode/utf8"
)

// cursor reads a module or a part of it. The first mistake stays: every later read
// gives zero, and err tells it.
type cursor struct {
	b    []byte
	at   int
	base int // offset of b in the module, for messages
	err  error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("at offset %#x: "+format, append([]any{c.base + c.at}, args...)...)
	}
}

func (c *cursor) more() bool { return c.err == nil && c.at < len(c.b) }

func (c *cursor) left() int { return len(c.b) - c.at }

func (c *cursor) byte() byte {
	if c.err != nil {
		return 0
	}
	if c.at == len(c.b) {
		c.fail("the module ends in the middle of something")
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

func (c *cursor) skip(n int) {
	if c.err != nil {
		return
	}
	if n > c.left() {
		c.fail("the module ends in the middle of something")
		return
	}
	c.at += n
}

// part cuts the next n bytes off as a cursor of their own.
func (c *cursor) part(n uint32) *cursor {
	start := c.at
	if uint64(n) > uint64(c.left()) {
		c.fail("%d bytes announced, %d are left", n, c.left())
	}
	if c.err != nil {
		return &cursor{err: c.err}
	}
	c.at += int(n)
	return &cursor{b: c.b[start:c.at:c.at], base: c.base + start}
}

// u32 reads an unsigned LEB128 of at most 32 bits.
func (c *cursor) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := c.byte()
		v |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if v > 1<<32-1 {
				c.fail("a number above 32 bits")
				return 0
			}
			return uint32(v)
		}
	}
	c.fail("a number of more than five bytes")
	return 0
}

// sleb skips a signed LEB128 of at most the given bits.
func (c *cursor) sleb(bits int) {
	for shift := 0; shift < bits; shift += 7 {
		b := c.byte()
		if b&0x80 != 0 {
			continue
		}
		// The last byte may hold fewer than seven bits; the rest must repeat the sign.
		if used := bits - shift; used < 7 {
			rest := b << 1 >> used // sign bit and above, in the low bits
			if rest != 0 && rest != 0x7f>>(used-1) {
				c.fail("a number above %d bits", bits)
			}
		}
		return
	}
	c.fail("a number above %d bits", bits)
}

// count reads how many items follow. Each takes a byte at least, so that no count can
// make the reader work for longer than the module is.
func (c *cursor) count(what string, limit int) int {
	n := c.u32()
	switch {
	case c.err != nil:
	case uint64(n) > uint64(limit):
		c.fail("%d %s, the limit is %d", n, what, limit)
	case uint64(n) > uint64(c.left()):
		c.fail("%d %s in %d bytes", n, what, c.left())
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *cursor) name() string {
	n := c.u32()
	if c.err == nil && n > MaxName {
		c.fail("a name of %d bytes, the limit is %d", n, MaxName)
	}
	p := c.part(n)
	if c.err == nil && !utf8.Valid(p.b) {
		c.fail("a name that is not UTF-8")
	}
	return string(p.b)
}

// end demands that everything was read.
func (c *cursor) end(what string) error {
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes after the end of %s", c.left(), what)
	}
	return c.err
}
