package sandbox

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bytecodealliance/wasmtime-go/v25"
	"github.com/stretchr/testify/assert"
)

func TestTrapNamesStandAtTheEnginesNumbers(t *testing.T) {
	t.Parallel()
	names := map[wasmtime.TrapCode]string{
		wasmtime.StackOverflow:          "call stack exhausted",
		wasmtime.MemoryOutOfBounds:      "out of bounds memory access",
		wasmtime.HeapMisaligned:         "misaligned memory access",
		wasmtime.TableOutOfBounds:       "out of bounds table access",
		wasmtime.IndirectCallToNull:     "call of a null table element",
		wasmtime.BadSignature:           "indirect call type mismatch",
		wasmtime.IntegerOverflow:        "integer overflow",
		wasmtime.IntegerDivisionByZero:  "integer divide by zero",
		wasmtime.BadConversionToInteger: "invalid conversion to integer",
		wasmtime.UnreachableCodeReached: "unreachable",
		wasmtime.Interrupt:              "interrupted",
		wasmtime.OutOfFuel:              "out of fuel",
	}
	assert.Len(t, trapNames, len(names))
	for code, name := range names {
		assert.Equal(t, name, trapName(int(code)))
	}
	assert.Equal(t, "trap 12 of the engine", trapName(12))
	assert.EqualValues(t, wasmtime.Interrupt, trapInterrupt)
}

// The binding keeps to itself what start and setTailCall reach for.
func TestTheBindingIsLaidOutAsWeUseIt(t *testing.T) {
	t.Parallel()
	fn := reflect.TypeFor[wasmtime.Func]()
	assert.Equal(t, 1, fn.NumField())
	assert.EqualValues(t, 16, fn.Size(), "wasmtime_func_t is a store's number and an index")
	config, ok := reflect.TypeFor[wasmtime.Config]().FieldByName("_ptr")
	assert.True(t, ok)
	assert.Equal(t, reflect.Pointer, config.Type.Kind())
}

func TestDetailIsOneShortLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result Result
		detail string
	}{
		"exit 0":                       {Result{Exited: true}, ""},
		"exit -1":                      {Result{Exited: true, Exit: -1}, "exit -1"},
		"a trap":                       {Result{Trap: "integer overflow", MemoryHigh: 1 << 20, MemoryLimit: 1 << 20}, "trap: integer overflow"},
		"memory nearly all used":       {Result{Trap: "unreachable", MemoryHigh: 511 << 20, MemoryLimit: 512 << 20}, "trap: unreachable (memory 511Mi of 512Mi)"},
		"memory used up, by exit":      {Result{Exited: true, Exit: 2, MemoryHigh: 60 << 10, MemoryLimit: 64 << 10}, "exit 2 (memory 60Ki of 64Ki)"},
		"an eighth of the memory left": {Result{Trap: "unreachable", MemoryHigh: 448<<20 - 1, MemoryLimit: 512 << 20}, "trap: unreachable"},
		"canceled":                     {Result{Canceled: true}, "canceled"},
		"nothing said":                 {Result{}, "the guest did not run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.detail, c.result.Detail())
		})
	}
}

func TestTheEnginesTextIsMadeOneBoundedPrintableLine(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b c?d", bounded("a\n\tb \x1b c\xffd"))
	long := bounded(strings.Repeat("ü", maxEngineText))
	assert.Equal(t, strings.Repeat("ü", maxEngineText/2)+"…", long)
}
