package pack

import (
	"bytes"
	"testing"
)

// FuzzCheckStartOfAnyBytes demands an answer, and that nothing which has no name _start in it is taken.
func FuzzCheckStartOfAnyBytes(f *testing.F) {
	const head = "\x00asm\x01\x00\x00\x00"
	f.Add([]byte(head + "\x07\x0a\x01\x06_start\x00\x00"))
	f.Add([]byte(head + "\x07\x05\xff\xff\xff\xff\x0f"))
	f.Add([]byte(head + "\x01\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := checkStart(bytes.NewReader(data)); err == nil && !bytes.Contains(data, []byte("\x06"+entryName+"\x00")) {
			t.Errorf("%q is taken", data)
		}
	})
}
