package sandbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
)

func TestAResponseIsTakenInPiecesUntilItsEnd(t *testing.T) {
	t.Parallel()
	m := load(t, "protocol")
	for name, response := range map[string]string{
		"no response at all":         "",
		"shorter than a piece":       `{}`,
		"exactly one piece":          `{"a":1}`,
		"many pieces and a rest":     `{"ok":"` + strings.Repeat("x", 10_000) + `"}`,
		"bytes that are not of JSON": "\x00\xff\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out output
			task := bare()
			task.Stdout = &out
			task.Stdin = []byte(`{"ask":"` + name + `"}`)
			task.Host = host(func(_ context.Context, op string, req []byte) []byte {
				assert.Equal(t, "echo", op)
				assert.Equal(t, task.Stdin, req)
				return []byte(response)
			})
			assert.Empty(t, run(t, m, task).Detail())
			assert.Equal(t, response, out.String())
		})
	}
}

func TestWhatWasPrintedBeforeACallIsOutWhenItsHostIsCalled(t *testing.T) {
	t.Parallel()
	m := loadText(t, `(module
		(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
		(import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
		(memory (export "memory") 1)
		(data (i32.const 0) "\10\00\00\00\05\00\00\00")
		(data (i32.const 16) "here\nself{}")
		(func (export "_start")
			(drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))
			(drop (call $call (i32.const 21) (i32.const 4) (i32.const 25) (i32.const 2)))))`)
	var out output
	task, called := bare(), false
	task.Stdout = &out
	task.Host = host(func(_ context.Context, op string, _ []byte) []byte {
		called = true
		assert.Equal(t, "self", op)
		assert.Equal(t, "here\n", out.String())
		return nil
	})
	assert.Empty(t, run(t, m, task).Detail())
	assert.True(t, called)
}

func TestARequestIsBoundedAtOneMebibyte(t *testing.T) {
	t.Parallel()
	m := load(t, "protocol")
	for name, c := range map[string]struct {
		bytes  int
		called bool
	}{
		"the largest request is passed on": {1 << 20, true},
		"one byte more is refused":         {1<<20 + 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out output
			called := false
			task := bare()
			task.Stdout, task.Stdin = &out, make([]byte, c.bytes)
			task.Host = host(func(_ context.Context, _ string, req []byte) []byte {
				called = true
				assert.Len(t, req, c.bytes)
				return []byte("served")
			})
			assert.Empty(t, run(t, m, task).Detail())
			assert.Equal(t, c.called, called)
			if !c.called {
				assert.JSONEq(t, `{"error":{"code":"too_large","message":"a request has at most 1048576 bytes",
					"data":{"limit":1048576,"value":1048577}}}`, out.String())
			}
		})
	}
}

// protocolBody imports both functions and runs code with one page of memory.
func protocolBody(code string) string {
	return `(module
  (import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
  (import "murmur" "take" (func $take (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "echo")
  (func $mustBe (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then unreachable)))
  (func (export "_start") ` + code + `))`
}

func TestAHostilePointerTrapsAndReachesNobody(t *testing.T) {
	t.Parallel()
	const past, all = "0x10000", "-1"
	call := "(drop (call $call (i32.const %s) (i32.const %s) (i32.const %s) (i32.const %s)))"
	take := "(drop (call $take (i32.const %s) (i32.const %s)))"
	for name, code := range map[string]string{
		"an op past the memory":               fmt.Sprintf(call, past, "1", "0", "0"),
		"an op that wraps around":             fmt.Sprintf(call, "1", all, "0", "0"),
		"an op at the last address":           fmt.Sprintf(call, all, "1", "0", "0"),
		"a request past the memory":           fmt.Sprintf(call, "0", "4", past, "1"),
		"a request that begins in it":         fmt.Sprintf(call, "0", "4", "0xffff", "2"),
		"a request of 4 GiB":                  fmt.Sprintf(call, "0", "4", "0", all),
		"a destination past the memory":       fmt.Sprintf(take, past, "1"),
		"a destination that begins in it":     fmt.Sprintf(take, "0xffff", "2"),
		"a destination of 4 GiB at address 1": fmt.Sprintf(take, "1", all),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := bare()
			task.Host = host(func(_ context.Context, op string, _ []byte) []byte {
				t.Errorf("op %q was called", op)
				return nil
			})
			assert.Equal(t, "trap: out of bounds memory access", run(t, loadText(t, protocolBody(code)), task).Detail())
		})
	}
}

func TestWhatTheProtocolAllowsAtItsEdges(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"empty op and request at the end of memory": `
			(call $mustBe (i64.const 6) (call $call (i32.const 0x10000) (i32.const 0) (i32.const 0x10000) (i32.const 0)))`,
		"take before any call has nothing": `
			(call $mustBe (i64.const 0) (i64.extend_i32_u (call $take (i32.const 0) (i32.const 10))))`,
		"take of nothing takes nothing": `
			(drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0)))
			(call $mustBe (i64.const 0) (i64.extend_i32_u (call $take (i32.const 0) (i32.const 0))))
			(call $mustBe (i64.const 6) (i64.extend_i32_u (call $take (i32.const 0) (i32.const 10))))
			(call $mustBe (i64.const 0) (i64.extend_i32_u (call $take (i32.const 0) (i32.const 10))))`,
		"a call drops the response before": `
			(drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0)))
			(drop (call $take (i32.const 0) (i32.const 4)))
			(drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0)))
			(call $mustBe (i64.const 6) (i64.extend_i32_u (call $take (i32.const 0) (i32.const 10))))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := bare()
			task.Host = host(func(context.Context, string, []byte) []byte { return []byte("answer") })
			assert.Empty(t, run(t, loadText(t, protocolBody(code)), task).Detail())
		})
	}
}

func TestAnOpThatCannotBeOneIsUnknown(t *testing.T) {
	t.Parallel()
	const unknown = `{"error":{"code":"unknown_op","message":"no such op"}}`
	long := protocolBody(fmt.Sprintf(
		`(call $mustBe (i64.const %d) (call $call (i32.const 0) (i32.const 65) (i32.const 0) (i32.const 0)))`, len(unknown)))
	task := bare()
	task.Host = host(func(_ context.Context, op string, _ []byte) []byte {
		t.Errorf("op %q was called", op)
		return nil
	})
	assert.Empty(t, run(t, loadText(t, long), task).Detail())

	var out output
	task = bare()
	task.Stdout = &out
	assert.Empty(t, run(t, load(t, "protocol"), task).Detail())
	assert.JSONEq(t, unknown, out.String())
}

func TestAGuestThatWaitsInAnOpEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m := load(t, "protocol")
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	var out output
	var begun time.Time
	task := bare()
	task.Stdout = &out
	task.Host = host(func(ctx context.Context, _ string, _ []byte) []byte {
		begun = time.Now()
		cancel()
		<-ctx.Done()
		return []byte("too late")
	})
	assert.True(t, m.Run(ctx, task).Canceled)
	assert.Less(t, time.Since(begun), time.Second)
	assert.Empty(t, out.String(), "the guest ran on after its context had ended")
}

func TestAPanicInAnOpIsTheHostsAndLeavesTheEngineUsable(t *testing.T) {
	t.Parallel()
	m := load(t, "protocol")
	task := bare()
	task.Host = host(func(context.Context, string, []byte) []byte { panic("a fault of ours") })
	func() {
		defer func() {
			text, ok := recover().(string)
			require.True(t, ok)
			assert.Contains(t, text, "a fault of ours\n")
			assert.Contains(t, text, "protocol_test.go", "the panic's own place is lost")
		}()
		run(t, m, task)
	}()
	assert.Empty(t, run(t, m, bare()).Detail())
}

func TestAModuleWithoutAMemoryCannotCallTheHost(t *testing.T) {
	t.Parallel()
	m := loadText(t, `(module (import "murmur" "take" (func $take (param i32 i32) (result i32)))
	  (func (export "_start") (drop (call $take (i32.const 0) (i32.const 0)))))`)
	result := m.Run(t.Context(), sandbox.Task{Work: -1, Runtime: -1})
	assert.Empty(t, result.Detail())
}
