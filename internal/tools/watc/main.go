package main

import (
	"fmt"
	"os"
	"strings"

	"rookery/worker/sandbox/wat"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: watc FILE.wat…")
		os.Exit(2)
	}
	for _, source := range os.Args[1:] {
		if err := assemble(source); err != nil {
			fmt.Fprintln(os.Stderr, "watc:", err)
			os.Exit(1)
		}
	}
}

// assemble writes the module of one .wat file beside it.
func assemble(source string) error {
	stem, found := strings.CutSuffix(source, ".wat")
	if !found {
		return fmt.Errorf("%s: not a .wat file", source)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	module, err := wat.ToWasm(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return os.WriteFile(stem+".wasm", module, 0o644)
}
