package admission

func (s *scan) codeSection(c *cursor) {
	n := c.count("function bodies", len(c.b))
	if c.err == nil && n != len(s.functions) {
		c.fail("%d function bodies for %d functions", n, len(s.functions))
	}
	s.code = true
	for i := 0; i < n && c.err == nil; i++ {
		size := c.u32()
		if c.err == nil && size > MaxBody {
			c.fail("function %d has a body of %d bytes, the limit is %d", s.imported+i, size, MaxBody)
			return
		}
		b := c.part(size)
		locals(b)
		instructions(b)
		if c.err == nil {
			c.err = b.end("a function's body")
		}
	}
}

func locals(c *cursor) {
	groups := c.count("groups of locals", MaxLocals)
	total := uint64(0)
	for range groups {
		total += uint64(c.u32())
		valueType(c)
		if c.err == nil && total > MaxLocals {
			c.fail("%d locals, the limit is %d", total, MaxLocals)
		}
		if c.err != nil {
			return
		}
	}
}

// instructions reads to the end that belongs to the body's beginning.
func instructions(c *cursor) {
	for depth := 1; depth > 0 && c.err == nil; {
		switch op := c.byte(); op {
		case 0x02, 0x03, 0x04: // block, loop, if: a type or an index
			depth++
			c.sleb(33)
		case 0x0b: // end
			depth--
		default:
			instruction(c, op)
		}
	}
}

func instruction(c *cursor, op byte) {
	switch {
	case op == 0x00, op == 0x01, op == 0x05, op == 0x0f, op == 0x1a, op == 0x1b, op == 0xd1:
		// unreachable, nop, else, return, drop, select, ref.is_null
	case op >= 0x45 && op <= 0xc4: // arithmetic
	case op == 0x0c, op == 0x0d, op == 0x10, op == 0xd2, op >= 0x20 && op <= 0x26:
		c.u32() // br, br_if, call, ref.func, variables and table elements: an index
	case op == 0x0e: // br_table, with the default target last
		for n := c.count("branch targets", MaxBranches); n >= 0 && c.err == nil; n-- {
			c.u32()
		}
	case op == 0x11: // call_indirect
		c.u32()
		c.u32()
	case op == 0x1c: // select with types
		for n := c.count("types of a select", MaxParams); n > 0 && c.err == nil; n-- {
			valueType(c)
		}
	case op >= 0x28 && op <= 0x3e: // loads and stores
		// Alignment is an exponent of at most 3; bit 6 would name another memory.
		if align := c.u32(); c.err == nil && align > 3 {
			c.fail("memory access with flags %#x", align)
		}
		c.u32()
	case op == 0x3f, op == 0x40: // memory.size, memory.grow
		if memory := c.byte(); c.err == nil && memory != 0 {
			c.fail("memory %d of one", memory)
		}
	case op == 0x41:
		c.sleb(32)
	case op == 0x42:
		c.sleb(64)
	case op == 0x43:
		c.skip(4)
	case op == 0x44:
		c.skip(8)
	case op == 0xd0: // ref.null
		if t := c.byte(); c.err == nil && t != 0x70 && t != 0x6f {
			c.fail("a reference of type %#x, which is not supported", t)
		}
	case op == 0xfc:
		extended(c)
	default:
		unsupported(c, op)
	}
}

// extended reads what follows 0xfc.
func extended(c *cursor) {
	switch sub := c.u32(); {
	case sub <= 7: // conversions that saturate
	case sub == 8, sub == 10, sub == 12, sub == 14: // memory.init and .copy, table.init and .copy
		c.u32()
		c.u32()
	case sub == 9, sub == 11, sub == 13, sub >= 15 && sub <= 17:
		c.u32() // data.drop, memory.fill, elem.drop, table.grow, .size, .fill
	default:
		c.fail("instruction 0xfc %d is not supported", sub)
	}
}

// unsupported names the proposal, which is what the author of a guest must switch off.
func unsupported(c *cursor, op byte) {
	if c.err != nil {
		return
	}
	c.at-- // the place of the instruction, not behind it
	switch op {
	case 0x12, 0x13:
		c.fail("tail calls are not supported")
	case 0x14, 0x15, 0xd3, 0xd4, 0xd5, 0xd6:
		c.fail("typed function references are not supported")
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		c.fail("exceptions are not supported")
	case 0xfb:
		c.fail("garbage-collected types are not supported")
	case 0xfd:
		c.fail("vectors (SIMD) are not supported")
	case 0xfe:
		c.fail("atomics (threads) are not supported")
	default:
		c.fail("instruction %#x is not supported", op)
	}
}
