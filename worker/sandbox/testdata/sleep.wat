;; Says that it runs, then sleeps for an hour.
(module
  (import "murmur" "call" (func $call (param i32 i32 i32 i32) (result i64)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "ready")
  (func (export "_start")
    (drop (call $call (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 0)))
    ;; One subscription at 64: clock 1 (monotonic), relative.
    (i32.store (i32.const 80) (i32.const 1))
    (i64.store (i32.const 88) (i64.const 3_600_000_000_000))
    (drop (call $poll (i32.const 64) (i32.const 128) (i32.const 1) (i32.const 192)))))
