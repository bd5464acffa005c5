package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// headerSize is a module's preamble: magic, version and layer.
const headerSize = 8

// CheckModule reads the first eight bytes of r and returns why they are not those
// of a core WebAssembly module, or nil.
func CheckModule(r io.Reader) error {
	var header [headerSize]byte
	n, err := io.ReadFull(r, header[:])
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
	case err != nil:
		return fmt.Errorf("read: %w", err)
	}
	switch {
	case bytes.HasPrefix(header[:n], []byte("(")):
		return errors.New("this is WebAssembly text, it must be assembled into a binary module first")
	case n < headerSize || !bytes.HasPrefix(header[:], []byte("\x00asm")):
		return errors.New("this is not a WebAssembly module")
	case header[6] == 1 && header[7] == 0:
		return errors.New("this is a WebAssembly component; capsules are core modules (WASI preview 1, command style), components are not supported")
	case !bytes.Equal(header[4:], []byte{1, 0, 0, 0}):
		return fmt.Errorf("this module has version %d of the binary format, version 1 is read", uint16(header[4])|uint16(header[5])<<8)
	}
	return nil
}
