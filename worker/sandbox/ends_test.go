package sandbox_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
)

// body is a module whose _start is the given code.
func body(code string) string {
	return `(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (table 1 funcref)
  (type $binary (func (param i32 i32) (result i32)))
  (func $nothing)
  (func $deep (call $deep))
  (func (export "_start") ` + code + `))`
}

func TestTheEndOfAGuestHasOneNameEach(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code, detail string
	}{
		"returning from _start is exit 0":  {``, ""},
		"exit 0 is an end like another":    {`(call $exit (i32.const 0))`, ""},
		"exit 3":                           {`(call $exit (i32.const 3))`, "exit 3"},
		"the largest exit status":          {`(call $exit (i32.const 125))`, "exit 125"},
		"unreachable":                      {`unreachable`, "trap: unreachable"},
		"a load past the memory":           {`(drop (i32.load (i32.const 0x10000)))`, "trap: out of bounds memory access"},
		"a load far past the memory":       {`(drop (i32.load offset=0x7fffffff (i32.const -1)))`, "trap: out of bounds memory access"},
		"division by zero":                 {`(drop (i32.div_s (i32.const 1) (i32.const 0)))`, "trap: integer divide by zero"},
		"overflowing division":             {`(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))`, "trap: integer overflow"},
		"a float that is no integer":       {`(drop (i32.trunc_f32_s (f32.const nan)))`, "trap: invalid conversion to integer"},
		"endless recursion":                {`(call $deep)`, "trap: call stack exhausted"},
		"a call past the table":            {`(call_indirect (i32.const 9))`, "trap: out of bounds table access"},
		"a call of an empty table element": {`(call_indirect (i32.const 0))`, "trap: call of a null table element"},
		"a call with another type": {
			`(table.set 0 (i32.const 0) (ref.func $nothing))
			 (drop (call_indirect (type $binary) (i32.const 1) (i32.const 2) (i32.const 0)))`,
			"trap: indirect call type mismatch",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := body(c.code)
			if strings.Contains(c.code, "ref.func") {
				text = strings.Replace(text, "(func $nothing)", "(func $nothing) (elem declare func $nothing)", 1)
			}
			result := run(t, loadText(t, text), bare())
			assert.Equal(t, c.detail, result.Detail())
			assert.NoError(t, result.Err)
		})
	}
}

func TestAGuestThatNeverEndsIsStoppedWithItsContext(t *testing.T) {
	t.Parallel()
	for _, guest := range []string{"spin", "sleep"} {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()
			result, took := stopped(t, load(t, guest))
			assert.True(t, result.Canceled, "%+v", result)
			assert.Equal(t, "canceled", result.Detail())
			assert.Less(t, took, 2*time.Second)
		})
	}
}

func TestATaskWhoseContextHasEndedDoesNotBegin(t *testing.T) {
	t.Parallel()
	m := loadText(t, body(`unreachable`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// The turn may be free, so that both ways of noticing are taken over the repeats.
	for range 20 {
		assert.True(t, m.Run(ctx, bare()).Canceled)
	}
}

func TestAStartSectionThatNeverEndsIsStoppedToo(t *testing.T) {
	t.Parallel()
	text, err := guests.ReadFile("testdata/spin.wat")
	require.NoError(t, err)
	m := loadText(t, strings.Replace(string(text), `(func (export "_start")`, `(func (export "_start")) (start $spin) (func $spin`, 1))
	result, took := stopped(t, m)
	assert.True(t, result.Canceled, "%+v", result)
	assert.Less(t, took, 2*time.Second)
}

func TestATrapInTheStartSectionIsATrap(t *testing.T) {
	t.Parallel()
	m := loadText(t, `(module (func $s unreachable) (start $s) (func (export "_start")))`)
	assert.Equal(t, "trap: unreachable", run(t, m, bare()).Detail())
}

func TestAnExitInTheStartSectionIsAnExit(t *testing.T) {
	t.Parallel()
	m := loadText(t, `(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
	  (memory (export "memory") 1) (func $s (call $exit (i32.const 4))) (start $s) (func (export "_start")))`)
	assert.Equal(t, "exit 4", run(t, m, bare()).Detail())
}

func TestTrapsByTheHundredFromSeveralGoroutinesLeaveTheEngineSound(t *testing.T) {
	t.Parallel()
	modules := map[string]*sandbox.Module{
		"trap: unreachable":                 loadText(t, body(`unreachable`)),
		"trap: out of bounds memory access": loadText(t, body(`(drop (i32.load (i32.const 0x10000)))`)),
		"trap: call stack exhausted":        loadText(t, body(`(call $deep)`)),
		"exit 7":                            loadText(t, body(`(call $exit (i32.const 7))`)),
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 13 {
				for detail, m := range modules {
					assert.Equal(t, detail, m.Run(t.Context(), bare()).Detail())
				}
			}
		})
	}
	all.Wait()
}

func TestMemoryIsNamedOnlyWhenItWasNearlyAllUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages  int
		detail string
	}{
		"a guest that used all":    {15, "trap: unreachable (memory 1Mi of 1Mi)"},
		"a guest that used little": {3, "trap: unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := bare()
			task.MemoryBytes = 1 << 20
			m := loadText(t, body(`(drop (memory.grow (i32.const `+strconv.Itoa(c.pages)+`))) unreachable`))
			result := run(t, m, task)
			require.Equal(t, uint64(c.pages+1)<<16, result.MemoryHigh)
			assert.Equal(t, c.detail, result.Detail())
		})
	}
}
