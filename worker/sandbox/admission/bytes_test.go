package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox/admission"
)

const head = "\x00asm\x01\x00\x00\x00"

// command is the smallest module that is admitted, with code as the body of _start.
func command(code string) string {
	body := string(rune(len(code)+2)) + "\x00" + code + "\x0b"
	return head + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x07\x0a\x01\x06_start\x00\x00" +
		"\x0a" + string(rune(len(body)+1)) + "\x01" + body
}

func TestBytesThatNoAssemblerWrites(t *testing.T) {
	t.Parallel()
	require.NoError(t, admission.Check([]byte(command("")), rules))
	for name, c := range map[string]struct{ module, sentence string }{
		"nothing":                            {"", "not WebAssembly"},
		"half a header":                      {"\x00asm\x01", "not WebAssembly"},
		"text":                               {"(module (func))", "not WebAssembly"},
		"a version of the future":            {"\x00asm\x02\x00\x00\x00", "WebAssembly of version 02 00 00 00"},
		"a section without its size":         {head + "\x01", "the module ends in the middle of something"},
		"a section longer than the module":   {head + "\x01\x05\x00", "5 bytes announced, 1 are left"},
		"a section twice":                    {head + "\x01\x01\x00\x01\x01\x00", "section 1 is out of order or twice there"},
		"sections out of order":              {head + "\x03\x01\x00\x01\x01\x00", "section 1 is out of order or twice there"},
		"a section of the future":            {head + "\x0e\x01\x00", "section 14 belongs to a proposal"},
		"bytes after a section's end":        {head + "\x01\x02\x00\x00", "1 bytes after the end of a section"},
		"more types than bytes":              {head + "\x01\x02\x7f\x60", "127 types in 1 bytes"},
		"a count of more than five bytes":    {head + "\x01\x06\x80\x80\x80\x80\x80\x00", "a number of more than five bytes"},
		"a count above 32 bits":              {head + "\x01\x05\xff\xff\xff\xff\x7f", "a number above 32 bits"},
		"a function of no type":              {head + "\x03\x02\x01\x00", "function 0 has type 0 of 0"},
		"functions without code":             {head + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00", "functions without code"},
		"a name that is not UTF-8":           {head + "\x00\x03\x02\xff\xfe", "a name that is not UTF-8"},
		"a constant above 32 bits":           {command("\x41\xff\xff\xff\xff\x1f\x1a"), "a number above 32 bits"},
		"a constant of too many bytes":       {command("\x41\x80\x80\x80\x80\x80\x00\x1a"), "a number above 32 bits"},
		"a constant above 64 bits":           {command("\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a"), "a number above 64 bits"},
		"an alignment above natural":         {command("\x41\x00\x29\x04\x00\x1a"), "memory access with flags 0x4"},
		"an access to a second memory":       {command("\x41\x00\x28\x42\x01\x00\x1a"), "memory access with flags 0x42"},
		"the size of a second memory":        {command("\x3f\x01\x1a"), "memory 1 of one"},
		"an unknown instruction":             {command("\x27"), "instruction 0x27 is not supported"},
		"an unknown extended instruction":    {command("\xfc\x12"), "instruction 0xfc 18 is not supported"},
		"an unknown extended one, disguised": {command("\xfc\x92\x80\x00"), "instruction 0xfc 18 is not supported"},
		"a body without an end":              {command("\x02\x40"), "the module ends in the middle of something"},
		"code after the end":                 {command("\x0b"), "1 bytes after the end of a function's body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, admission.Check([]byte(c.module), rules), c.sentence)
		})
	}
}

func TestNumbersAtTheirEdgesAreAdmitted(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"the largest i32":                        "\x41\xff\xff\xff\xff\x07\x1a",
		"the smallest i32":                       "\x41\x80\x80\x80\x80\x78\x1a",
		"the largest i64":                        "\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x1a",
		"the smallest i64":                       "\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x1a",
		"a constant that holds a tail call byte": "\x41\x12\x1a",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, admission.Check([]byte(command(code)), rules))
		})
	}
}

func TestAModuleIsRefusedWhereverItIsCutShort(t *testing.T) {
	t.Parallel()
	whole := []byte(command("\x01\x41\x00\x1a"))
	require.NoError(t, admission.Check(whole, rules))
	for n := range whole {
		require.Error(t, admission.Check(whole[:n], rules), "%d of %d bytes", n, len(whole))
	}
}

func TestAModuleOverTheLimitIsNotRead(t *testing.T) {
	t.Parallel()
	err := admission.Check(make([]byte, admission.MaxModule+1), rules)
	assert.EqualError(t, err, "33554433 bytes, the limit is 33554432")
}

// FuzzCheck looks for panics, for work out of proportion, and for answers that differ.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(command("")))
	f.Add([]byte(command("\xfc\x0b\x00")))
	f.Add(assemble(f, every))
	f.Add(assemble(f, `(component)`))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		first := admission.Check(wasm, rules)
		second := admission.Check(wasm, rules)
		assert.Equal(t, first, second)
		if first != nil {
			assert.Less(t, len(first.Error()), 1500)
		}
	})
}
