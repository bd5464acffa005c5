package wat

import (
	"fmt"

	"github.com/bytecodealliance/wasmtime-go/v25"
)

// ToWasm assembles text. The error is the parser's: several lines, with the place
// that it could not read.
func ToWasm(text string) ([]byte, error) {
	wasm, err := wasmtime.Wat2Wasm(text)
	if err != nil {
		return nil, fmt.Errorf("assemble module text: %w", err)
	}
	return wasm, nil
}
