package admission

import "strings"

func (s *scan) typeSection(c *cursor) {
	n := c.count("types", MaxTypes)
	for i := 0; i < n && c.err == nil; i++ {
		if form := c.byte(); form != 0x60 && c.err == nil {
			c.fail("type %d is not a function's (form %#x)", i, form)
			return
		}
		var text strings.Builder
		valueTypes(c, &text, "parameters")
		text.WriteByte(':')
		valueTypes(c, &text, "results")
		s.types = append(s.types, Type(text.String()))
	}
}

func valueTypes(c *cursor, text *strings.Builder, what string) {
	n := c.count(what, MaxParams)
	for range n {
		text.WriteByte(valueType(c))
	}
}

// valueType reads one type and returns its letter.
func valueType(c *cursor) byte {
	switch t := c.byte(); t {
	case 0x7f:
		return 'i'
	case 0x7e:
		return 'I'
	case 0x7d:
		return 'f'
	case 0x7c:
		return 'F'
	case 0x70, 0x6f:
		return 'r'
	case 0x7b:
		c.fail("vectors (SIMD) are not supported")
	default:
		c.fail("value type %#x is not supported", t)
	}
	return '?'
}

var kinds = [...]string{"function", "table", "memory", "global"}

func kindName(kind byte) string {
	if int(kind) < len(kinds) {
		return kinds[kind]
	}
	return "thing of an unknown kind"
}

func (s *scan) importSection(c *cursor) {
	n := c.count("imports", MaxImports)
	for i := 0; i < n && c.err == nil; i++ {
		module, name := c.name(), c.name()
		kind := c.byte()
		if c.err != nil {
			return
		}
		if kind != 0 {
			c.fail("imports a %s, %.64q.%.64q; only functions can be imported", kindName(kind), module, name)
			return
		}
		index := c.u32()
		want, offered := s.rules.Imports[Import{module, name}]
		switch {
		case c.err != nil:
		case !offered:
			c.fail("imports %.64q.%.64q, which this host does not offer", module, name)
		case uint64(index) >= uint64(len(s.types)):
			c.fail("import %d has type %d of %d", i, index, len(s.types))
		case s.types[index] != want:
			c.fail("imports %s.%s as %.64s, it is %s", module, name, s.types[index], want)
		}
		s.imported++
	}
}

func (s *scan) functionSection(c *cursor) {
	n := c.count("functions", len(c.b))
	for i := 0; i < n && c.err == nil; i++ {
		index := c.u32()
		if c.err == nil && uint64(index) >= uint64(len(s.types)) {
			c.fail("function %d has type %d of %d", i, index, len(s.types))
		}
		s.functions = append(s.functions, index)
	}
}

func (s *scan) tableSection(c *cursor) {
	n := c.count("tables", MaxTables)
	for i := 0; i < n && c.err == nil; i++ {
		if t := c.byte(); t != 0x70 && t != 0x6f && c.err == nil {
			c.fail("table %d holds type %#x, which is not supported", i, t)
			return
		}
		first := limits(c)
		if c.err == nil && first > MaxTableElements {
			c.fail("table %d begins with %d elements, the limit is %d", i, first, MaxTableElements)
		}
	}
}

func (s *scan) memorySection(c *cursor) {
	n := c.count("memories", 1)
	for i := 0; i < n && c.err == nil; i++ {
		first := limits(c)
		if c.err == nil && first > MaxMemoryPages {
			c.fail("the memory begins with %d pages, the limit is %d", first, MaxMemoryPages)
		}
	}
}

// limits reads a minimum and perhaps a maximum and returns the minimum.
func limits(c *cursor) uint32 {
	flags := c.byte()
	if c.err == nil && flags > 1 {
		c.fail("limits with flags %#x: shared and 64-bit memories and pages of other sizes are not supported", flags)
		return 0
	}
	first := c.u32()
	if flags == 1 {
		c.u32()
	}
	return first
}

// exportSection keeps names that have a meaning to the host for what they mean.
func (s *scan) exportSection(c *cursor) {
	n := c.count("exports", MaxExports)
	for i := 0; i < n && c.err == nil; i++ {
		name, kind := c.name(), c.byte()
		index := c.u32()
		if c.err != nil {
			return
		}
		switch name {
		case "murmur_init", "murmur_task":
			c.fail("exports %s, a name that is reserved", name)
		case "memory":
			if kind != 2 {
				c.fail("exports a %s as \"memory\"", kindName(kind))
			}
		case "_initialize":
			s.reactor = true
		case "_start":
			s.exportStart(c, kind, index)
		}
	}
}

func (s *scan) exportStart(c *cursor, kind byte, index uint32) {
	own := int64(index) - int64(s.imported)
	switch {
	case kind != 0:
		c.fail("exports a %s as _start", kindName(kind))
	case own < 0:
		c.fail("exports an import as _start")
	case own >= int64(len(s.functions)):
		c.fail("exports function %d of %d as _start", index, s.imported+len(s.functions))
	case s.types[s.functions[own]] != ":":
		c.fail("_start has type %.64s, it must take and return nothing", s.types[s.functions[own]])
	}
	s.start = true
}
