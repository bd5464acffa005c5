;; Writes "line 01 of 30" to "line 30 of 30" to stderr and traps: a parent is told of the last 20.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "line 00 of 30\n")
  (func (export "_start") (local $n i32)
    (i32.store (i32.const 0) (i32.const 16)) ;; one buffer: its address
    (i32.store (i32.const 4) (i32.const 14)) ;; and its length
    (loop $next
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (i32.store8 (i32.const 21) (i32.add (i32.const 48) (i32.div_u (local.get $n) (i32.const 10))))
      (i32.store8 (i32.const 22) (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10))))
      (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $n) (i32.const 30))))
    unreachable))
