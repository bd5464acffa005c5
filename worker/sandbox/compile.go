package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"rookery/worker/sandbox/admission"
)

// Compile turns a module into native code for [Load], if package admission and then
// the engine find nothing wrong with it. The engine cannot be stopped once
// it has begun (ctx is looked at before and after), takes about 60 ms for each 100 KiB
// of module on one core and, for a hostile module, as much time and memory as it likes:
// the caller is a process of its own under limits, `worker compile`, and never the
// process that holds anything of value.
func Compile(ctx context.Context, wasm []byte) ([]byte, error) {
	if err := admission.Check(wasm, rules()); err != nil {
		return nil, fmt.Errorf("module refused: %w", err)
	}
	return compile(ctx, wasm)
}

func compile(ctx context.Context, wasm []byte) ([]byte, error) {
	e, err := theEngine()
	if err != nil {
		return nil, err
	}
	if err := e.acquire(ctx); err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	defer e.release()
	module, err := wasmtime.NewModule(e.native, wasm)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", plain(err))
	}
	defer module.Close()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("compile: %w", context.Cause(ctx))
	}
	code, err := module.Serialize()
	if err != nil {
		return nil, fmt.Errorf("compile: serialize: %w", plain(err))
	}
	return seal(code), nil
}

// maxEngineText bounds what is kept of a sentence of the engine, in bytes.
const maxEngineText = 400

// plain copies the text of an error of the engine, bounded, and frees the original at
// once: a finalizer would do it on a thread of its own.
func plain(err error) error {
	text := err.Error()
	var native *wasmtime.Error
	if errors.As(err, &native) {
		native.Close()
	}
	return errors.New(bounded(text))
}
