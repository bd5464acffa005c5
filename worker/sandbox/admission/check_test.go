package admission_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox/admission"
	"rookery/worker/sandbox/wat"
)

var rules = admission.Rules{Imports: map[admission.Import]admission.Type{
	{Module: "murmur", Name: "call"}: "iiii:I",
	{Module: "murmur", Name: "take"}: "ii:i",
}}

func assemble(tb testing.TB, text string) []byte {
	tb.Helper()
	wasm, err := wat.ToWasm(text)
	require.NoError(tb, err)
	return wasm
}

// every uses each section and each kind of instruction that is admitted.
const every = `(module
  (type $none (func)) (type $two (func (param i32 i64) (result f32 f64)))
  (import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
  (import "murmur" "take" (func $take (param i32 i32) (result i32)))
  (table $t 1 10 funcref) (table $x 0 externref)
  (memory (export "memory") 1 16)
  (global $g (mut i32) (i32.const -1)) (global $r (mut funcref) (ref.null func))
  (export "_start" (func $start))
  (start $init)
  (elem $e (table $t) (i32.const 0) func $start) (elem declare func $two)
  (data $d "abc") (data (i32.const 8) "def")
  (func $init)
  (func $two (type $two) (local i32 i64 f32 f64 funcref externref)
    (f32.const 1.5) (f64.const -2.5))
  (func $start
    (local $i i32) (local $l i64)
    (block $a (loop $b (br_if $a (i32.const 1)) (br $b)))
    (if (i32.const 0) (then nop) (else (return)))
    (block (br_table 0 0 0 (i32.const 2)))
    (drop (block (result i32) (i32.const 0x7fffffff)))
    (drop (i32.const -0x80000000)) (drop (i64.const 0x7fffffffffffffff)) (drop (i64.const -0x8000000000000000))
    (drop (select (i32.const 1) (i32.const 2) (i32.const 0)))
    (drop (select (result i64) (i64.const 1) (i64.const 2) (i32.const 0)))
    (local.set $i (local.tee $i (local.get $i)))
    (global.set $g (global.get $g))
    (table.set $t (i32.const 0) (table.get $t (i32.const 0)))
    (i64.store offset=8 align=4 (i32.const 0) (i64.load8_s (i32.const 1)))
    (drop (memory.grow (memory.size)))
    (drop (i32.trunc_sat_f32_s (f32.const 1))) (drop (i32.extend8_s (i32.const 1)))
    (memory.init $d (i32.const 0) (i32.const 0) (i32.const 3)) (data.drop $d)
    (memory.copy (i32.const 0) (i32.const 0) (i32.const 0)) (memory.fill (i32.const 0) (i32.const 0) (i32.const 0))
    (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 0)) (elem.drop $e)
    (table.copy $t $t (i32.const 0) (i32.const 0) (i32.const 0)) (table.fill $t (i32.const 0) (ref.null func) (i32.const 0))
    (drop (table.grow $t (ref.func $two) (i32.const 0))) (drop (table.size $t))
    (drop (ref.is_null (ref.null extern)))
    (drop (call $take (i32.const 0) (i32.const 0)))
    (call_indirect $t (type $none) (i32.const 0))
    (drop (f64.add (f64.const 0) (f64.promote_f32 (f32.neg (f32.const 1)))))
    unreachable))`

func TestAModuleThatUsesAllThatIsAllowedIsAdmitted(t *testing.T) {
	t.Parallel()
	require.NoError(t, admission.Check(assemble(t, every), rules))
}

func TestAModuleIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	start := func(body string) string { return `(module (memory 1) (func $f) (func (export "_start") ` + body + `))` }
	for name, c := range map[string]struct{ text, sentence string }{
		"a component":                {`(component)`, "a component; core modules only (build for wasip1, not wasip2)"},
		"no export at all":           {`(module)`, "no export _start: not a command"},
		"a reactor":                  {`(module (func (export "_initialize")))`, "a reactor (it exports _initialize); a command with _start is needed"},
		"murmur_init":                {`(module (func (export "_start")) (func (export "murmur_init")))`, "exports murmur_init, a name that is reserved"},
		"murmur_task":                {`(module (global (export "murmur_task") i32 (i32.const 0)) (func (export "_start")))`, "exports murmur_task, a name that is reserved"},
		"_start with a parameter":    {`(module (func (export "_start") (param i32)))`, "_start has type i:, it must take and return nothing"},
		"_start with a result":       {`(module (func (export "_start") (result i64) (i64.const 0)))`, "_start has type :I, it must take and return nothing"},
		"_start that is no function": {`(module (memory (export "_start") 1))`, "exports a memory as _start"},
		"_start that is an import":   {`(module (import "murmur" "take" (func $f (param i32 i32) (result i32))) (export "_start" (func $f)))`, "exports an import as _start"},
		"a memory that is none":      {`(module (func (export "memory")) (func (export "_start")))`, `exports a function as "memory"`},

		"an unknown import":            {`(module (import "env" "system" (func)) (func (export "_start")))`, `imports "env"."system", which this host does not offer`},
		"an unknown name of murmur":    {`(module (import "murmur" "give" (func)) (func (export "_start")))`, `imports "murmur"."give", which this host does not offer`},
		"the WASI before preview 1":    {`(module (import "wasi_unstable" "fd_write" (func)) (func (export "_start")))`, `imports "wasi_unstable"."fd_write", which this host does not offer`},
		"an import of another type":    {`(module (import "murmur" "take" (func (param i32))) (func (export "_start")))`, "imports murmur.take as i:, it is ii:i"},
		"an imported memory":           {`(module (import "murmur" "take" (memory 1)) (func (export "_start")))`, `imports a memory, "murmur"."take"; only functions can be imported`},
		"an imported table":            {`(module (import "e" "t" (table 1 funcref)) (func (export "_start")))`, `imports a table, "e"."t"`},
		"an imported global":           {`(module (import "e" "g" (global i32)) (func (export "_start")))`, `imports a global, "e"."g"`},
		"an import that shows control": {`(module (import "e\1b[2J" "x" (func)) (func (export "_start")))`, `imports "e\x1b[2J"."x"`},

		"a tail call":           {start(`(return_call $f)`), "tail calls are not supported"},
		"an indirect tail call": {`(module (table 1 funcref) (func (export "_start") (return_call_indirect (i32.const 0))))`, "tail calls are not supported"},
		"a vector instruction":  {start(`(drop (v128.const i64x2 0 0))`), "vectors (SIMD) are not supported"},
		"a vector local":        {start(`(local v128)`), "vectors (SIMD) are not supported"},
		"a vector parameter":    {`(module (func (param v128)) (func (export "_start")))`, "vectors (SIMD) are not supported"},
		"an atomic instruction": {start(`(drop (i32.atomic.load (i32.const 0)))`), "atomics (threads) are not supported"},
		"a shared memory":       {`(module (memory 1 1 shared) (func (export "_start")))`, "limits with flags 0x3"},
		"a 64-bit memory":       {`(module (memory i64 1) (func (export "_start")))`, "limits with flags 0x4"},
		"two memories":          {`(module (memory 1) (memory 1) (func (export "_start")))`, "2 memories, the limit is 1"},
		"an exception tag":      {`(module (tag) (func (export "_start")))`, "section 13 belongs to a proposal that is not supported"},
		"a thrown exception":    {`(module (type (func)) (tag (type 0)) (func (export "_start") (throw 0)))`, "not supported"},
		"a struct type":         {`(module (type (struct)) (func (export "_start")))`, "type 0 is not a function's (form 0x5f)"},
		"a typed reference":     {`(module (type $t (func)) (func (param (ref null $t))) (func (export "_start")))`, "value type 0x63 is not supported"},

		"a memory of more than 1 GiB": {`(module (memory 16385) (func (export "_start")))`, "the memory begins with 16385 pages, the limit is 16384"},
		"a table of over a million":   {`(module (table 1000001 funcref) (func (export "_start")))`, "table 0 begins with 1000001 elements, the limit is 1000000"},
		"five tables":                 {`(module ` + strings.Repeat("(table 1 funcref)", 5) + ` (func (export "_start")))`, "5 tables, the limit is 4"},
		"a body over 256 KiB":         {start(strings.Repeat("nop ", 256<<10)), "function 1 has a body of 262146 bytes, the limit is 262144"},
		"4097 locals":                 {start(`(local` + strings.Repeat(" i32", 4097) + `)`), "4097 locals, the limit is 4096"},
		"a branch table of 16385":     {start(`(br_table` + strings.Repeat(" 0", 16386) + ` (i32.const 0))`), "16385 branch targets, the limit is 16384"},
		"1001 parameters":             {`(module (func (param` + strings.Repeat(" i32", 1001) + `)) (func (export "_start")))`, "1001 parameters, the limit is 1000"},
		"a name of 1025 bytes":        {`(module (func (export "_start")) (func (export "` + strings.Repeat("n", 1025) + `")))`, "a name of 1025 bytes, the limit is 1024"},
		"1001 imports":                {`(module ` + strings.Repeat(`(import "murmur" "take" (func (param i32 i32) (result i32)))`, 1001) + `(func (export "_start")))`, "1001 imports, the limit is 1000"},
		"10001 exports":               {manyExports(10001), "10001 exports, the limit is 10000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := admission.Check(assemble(t, c.text), rules)
			require.ErrorContains(t, err, c.sentence)
			assert.Less(t, len(err.Error()), 300)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func manyExports(n int) string {
	var s strings.Builder
	s.WriteString(`(module (func $s) (export "_start" (func $s))`)
	for i := range n - 1 {
		fmt.Fprintf(&s, `(export "e%d" (func $s))`, i)
	}
	return s.String() + ")"
}

func TestALimitItselfIsAdmitted(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a body of 256 KiB":       `(module (func (export "_start") ` + strings.Repeat("nop ", 256<<10-2) + `))`,
		"4096 locals":             `(module (func (export "_start") (local` + strings.Repeat(" i32", 4096) + `)))`,
		"a branch table of 16384": `(module (func (export "_start") (br_table` + strings.Repeat(" 0", 16385) + ` (i32.const 0))))`,
		"a memory of 1 GiB":       `(module (memory 16384) (func (export "_start")))`,
		"a table of a million":    `(module (table 1000000 funcref) (func (export "_start")))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.NoError(t, admission.Check(assemble(t, text), rules))
		})
	}
}
