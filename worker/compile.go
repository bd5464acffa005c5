package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"rookery/worker/sandbox"
)

// Descriptors of the mode compile.
const (
	fdModule = 3
	fdOutput = 4
)

// maxModule bounds a module, in bytes. A Go program is 2 to 20 MiB.
const maxModule = 256 << 20

// compile turns the module on descriptor 3 into native code on descriptor 4. Time and
// memory are bounded by whoever started this process.
func compile(ctx context.Context) error {
	wasm, err := io.ReadAll(io.LimitReader(os.NewFile(fdModule, "module"), maxModule+1))
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	if len(wasm) > maxModule {
		return fmt.Errorf("compile: the module is larger than the limit of %d bytes", maxModule)
	}
	native, err := sandbox.Compile(ctx, wasm)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	if _, err := os.NewFile(fdOutput, "output").Write(native); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	return nil
}

// printKey prints the engine's key and the build, a line each.
func printKey(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\n%s\n", sandbox.EngineKey(), build()); err != nil {
		return fmt.Errorf("engine key: %w", err)
	}
	return nil
}
