;; Writes lines of 64 bytes to stderr without a pause, for ever, 64 KiB at once.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start") (local $at i32)
    (memory.fill (i32.const 65536) (i32.const 120) (i32.const 65536))
    (loop $line
      (i32.store8 (i32.add (i32.const 65599) (local.get $at)) (i32.const 10))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $line (i32.lt_u (local.get $at) (i32.const 65536))))
    (i32.store (i32.const 0) (i32.const 65536))
    (i32.store (i32.const 4) (i32.const 65536))
    (loop $again
      (br_if $again (i32.eqz (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))))
    unreachable))
