;; Writes two lines to stderr and then sleeps an hour: what a process said before it was killed.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 256) "opened the valve\nthe valve is stuck\n")
  (func (export "_start")
    (i32.store (i32.const 128) (i32.const 256))
    (i32.store (i32.const 132) (i32.const 36))
    (if (call $write (i32.const 2) (i32.const 128) (i32.const 1) (i32.const 136)) (then unreachable))
    ;; One subscription of 48 bytes at 0: the monotonic clock, a relative time.
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24) (i64.const 3600000000000)) ;; nanoseconds
    (if (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)) (then unreachable))))
