;; Says that it runs, then computes for ever.
(module
  (import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "ready")
  (func (export "_start")
    (drop (call $call (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 0)))
    (loop $for_ever (br $for_ever))))
