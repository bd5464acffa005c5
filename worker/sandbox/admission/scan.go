package admission

import (
	"bytes"
	"errors"
	"fmt"
)

// Import names one function that a guest may import.
type Import struct{ Module, Name string }

// Type is a function's type in letters: parameters, a colon, results; i for i32, I for
// i64, f and F for floats, r for references.
type Type string

// Rules is what differs from host to host.
type Rules struct {
	// Imports are the functions that the host offers, and their types.
	Imports map[Import]Type
}

const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
)

// position is where each section stands: the count of data segments, the last to be
// invented, comes before the code.
var position = [...]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5, sectionGlobal: 6,
	sectionExport: 7, sectionStart: 8, sectionElement: 9, sectionDataCount: 10, sectionCode: 11, sectionData: 12,
}

// scan is what has been learnt of a module so far.
type scan struct {
	rules     Rules
	types     []Type
	imported  int      // functions
	functions []uint32 // types of the module's own
	code      bool
	start     bool // a function exported as _start
	reactor   bool
}

// Check reads a module and returns why it is refused, or nil. The error is one
// sentence, without the word module in front.
func Check(wasm []byte, rules Rules) error {
	if len(wasm) > MaxModule {
		return fmt.Errorf("%d bytes, the limit is %d", len(wasm), MaxModule)
	}
	if err := header(wasm); err != nil {
		return err
	}
	s := &scan{rules: rules}
	c := &cursor{b: wasm, at: 8}
	last := 0
	for c.more() {
		id := c.byte()
		size := c.u32()
		body := c.part(size)
		if c.err != nil {
			break
		}
		if id != sectionCustom {
			if int(id) >= len(position) {
				c.fail("section %d belongs to a proposal that is not supported", id)
				break
			}
			if position[id] <= last {
				c.fail("section %d is out of order or twice there", id)
				break
			}
			last = position[id]
		}
		if err := s.section(id, body); err != nil {
			return err
		}
	}
	if c.err != nil {
		return c.err
	}
	return s.whole()
}

// header tells a core module from a component by its version and layer.
func header(wasm []byte) error {
	switch {
	case len(wasm) < 8 || !bytes.HasPrefix(wasm, []byte("\x00asm")):
		return errors.New("not WebAssembly: the first bytes are not those of a module")
	case bytes.Equal(wasm[4:8], []byte{0x0d, 0, 1, 0}):
		return errors.New("a component; core modules only (build for wasip1, not wasip2)")
	case !bytes.Equal(wasm[4:8], []byte{1, 0, 0, 0}):
		return fmt.Errorf("WebAssembly of version % x, not a core module of version 1", wasm[4:8])
	}
	return nil
}

func (s *scan) section(id byte, c *cursor) error {
	switch id {
	case sectionCustom:
		c.name()
		return c.err
	case sectionType:
		s.typeSection(c)
	case sectionImport:
		s.importSection(c)
	case sectionFunction:
		s.functionSection(c)
	case sectionTable:
		s.tableSection(c)
	case sectionMemory:
		s.memorySection(c)
	case sectionExport:
		s.exportSection(c)
	case sectionCode:
		s.codeSection(c)
	default:
		// Globals, the start function, elements and data hold no code beyond constant
		// expressions; the engine checks them.
		return nil
	}
	return c.end("a section")
}

// whole is what can be said only at the end.
func (s *scan) whole() error {
	switch {
	case len(s.functions) > 0 && !s.code:
		return errors.New("functions without code")
	case s.start:
		return nil
	case s.reactor:
		return errors.New("a reactor (it exports _initialize); a command with _start is needed")
	}
	return errors.New("no export _start: not a command")
}
