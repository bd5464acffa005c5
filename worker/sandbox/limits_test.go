package sandbox_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestALimitIsKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, detail string
	}{
		"memory grows to its limit":  {body(`(if (i32.eq (memory.grow (i32.const 15)) (i32.const -1)) (then unreachable))`), ""},
		"and not a page further":     {body(`(if (i32.ne (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))`), ""},
		"a table grows to its limit": {body(`(if (i32.eq (table.grow (ref.null func) (i32.const 99)) (i32.const -1)) (then unreachable))`), ""},
		"and not an element further": {body(`(if (i32.ne (table.grow (ref.null func) (i32.const 100)) (i32.const -1)) (then unreachable))`), ""},
		"a first memory over it": {
			`(module (memory (export "memory") 17) (func (export "_start")))`,
			"cannot start the module: memory minimum size of 17 pages exceeds memory limits",
		},
		"a first table over it": {
			`(module (table 101 funcref) (func (export "_start")))`,
			"cannot start the module: table minimum size of 101 elements exceeds table limits",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := bare()
			task.MemoryBytes, task.TableElements = 1<<20, 100
			assert.Equal(t, c.detail, run(t, loadText(t, c.text), task).Detail())
		})
	}
}

func TestATaskWithoutLimitsHasTheDefaults(t *testing.T) {
	t.Parallel()
	result := run(t, loadText(t, body(`
	  (if (i32.eq (memory.grow (i32.const 8191)) (i32.const -1)) (then unreachable))
	  (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))`)), bare())
	assert.Empty(t, result.Detail())
	assert.Equal(t, uint64(512<<20), result.MemoryLimit)
	assert.Equal(t, uint64(512<<20), result.MemoryHigh)
}

func TestEveryRunHasAnInstanceOfItsOwn(t *testing.T) {
	t.Parallel()
	// Traps if memory, global or table were touched before.
	m := loadText(t, `(module
	  (memory (export "memory") 1) (global $seen (mut i32) (i32.const 0)) (table 1 funcref)
	  (func $f) (elem declare func $f)
	  (func (export "_start")
	    (if (i32.load (i32.const 100)) (then unreachable))
	    (if (global.get $seen) (then unreachable))
	    (if (i32.eqz (ref.is_null (table.get 0 (i32.const 0)))) (then unreachable))
	    (if (i32.ne (memory.size) (i32.const 1)) (then unreachable))
	    (i32.store (i32.const 100) (i32.const 1))
	    (global.set $seen (i32.const 1))
	    (table.set 0 (i32.const 0) (ref.func $f))
	    (drop (memory.grow (i32.const 1)))))`)
	for range 3 {
		assert.Empty(t, run(t, m, bare()).Detail())
	}
}

func TestTwoModulesShareNothing(t *testing.T) {
	t.Parallel()
	dirty := loadText(t, body(`(memory.fill (i32.const 0) (i32.const 0xff) (i32.const 0x10000))`))
	clean := loadText(t, body(`(local $at i32)
	  (loop $next
	    (if (i64.ne (i64.load (local.get $at)) (i64.const 0)) (then unreachable))
	    (local.set $at (i32.add (local.get $at) (i32.const 8)))
	    (br_if $next (i32.lt_u (local.get $at) (i32.const 0x10000))))`))
	for range 3 {
		assert.Empty(t, run(t, dirty, bare()).Detail())
		assert.Empty(t, run(t, clean, bare()).Detail())
	}
}

//nolint:paralleltest // it measures the process
func TestAThousandRunsLeaveNothingBehind(t *testing.T) {
	m := loadText(t, body(`(memory.fill (i32.const 0) (i32.const 1) (i32.const 0x10000)) unreachable`))
	for range 200 {
		run(t, m, bare())
	}
	before, files := resident(t), openFiles(t)
	for range 1000 {
		run(t, m, bare())
	}
	// A page of guest memory kept by each run would be 64 MiB.
	assert.Less(t, resident(t)-before, int64(32<<20))
	assert.Equal(t, files, openFiles(t))
}

func resident(t *testing.T) int64 {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}
