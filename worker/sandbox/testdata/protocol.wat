;; Sends its standard input as one request of op "echo" and writes the response to its
;; standard output, taken in pieces of 7 bytes.
(module
  (import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
  (import "murmur" "take" (func $take (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 64)
  (data (i32.const 0) "echo")
  (global $length (mut i32) (i32.const 0))
  (func (export "_start") (local $n i32)
    (block $end
      (loop $more
        ;; One buffer at 1024 behind what has been read.
        (i32.store (i32.const 8) (i32.add (i32.const 1024) (global.get $length)))
        (i32.store (i32.const 12) (i32.const 65536))
        (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 16)))
        (br_if $end (i32.eqz (i32.load (i32.const 16))))
        (global.set $length (i32.add (global.get $length) (i32.load (i32.const 16))))
        (br $more)))
    (drop (call $call (i32.const 0) (i32.const 4) (i32.const 1024) (global.get $length)))
    (block $end
      (loop $more
        (local.set $n (call $take (i32.const 64) (i32.const 7)))
        (br_if $end (i32.eqz (local.get $n)))
        (i32.store (i32.const 8) (i32.const 64))
        (i32.store (i32.const 12) (local.get $n))
        (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))
        (br $more)))))
