;; Prints a line to stderr first of all, then sleeps for an hour.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 256) "here\n")
  ;; One subscription of 48 bytes at 0: the monotonic clock, a relative time. One buffer of 8 bytes at 200.
  (func (export "_start")
    (i32.store (i32.const 200) (i32.const 256))
    (i32.store (i32.const 204) (i32.const 5))
    (drop (call $write (i32.const 2) (i32.const 200) (i32.const 1) (i32.const 208)))
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24) (i64.const 3600000000000)) ;; nanoseconds
    (if (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)) (then unreachable))))
