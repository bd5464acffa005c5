;; Writes 1 GiB to stderr, in lines of 64 bytes, and ends well: a host keeps the first part and never makes it wait for long.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "_start") (local $n i32)
    (memory.fill (i32.const 65536) (i32.const 120) (i32.const 65536))
    (loop $line
      (i32.store8 (i32.add (i32.const 65599) (local.get $n)) (i32.const 10))
      (local.set $n (i32.add (local.get $n) (i32.const 64)))
      (br_if $line (i32.lt_u (local.get $n) (i32.const 65536))))
    (local.set $n (i32.const 16384)) ;; times 64 KiB
    (loop $block
      (i32.store (i32.const 0) (i32.const 65536))
      (i32.store (i32.const 4) (i32.const 65536))
      (loop $more
        (if (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
        (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.load (i32.const 8))))
        (i32.store (i32.const 4) (i32.sub (i32.load (i32.const 4)) (i32.load (i32.const 8))))
        (br_if $more (i32.load (i32.const 4))))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $block (local.get $n)))))
