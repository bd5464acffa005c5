;; Answers with 70000 bytes: "a", 34999 times "é" of two bytes, "z". A cut at 65536 bytes falls inside of an "é".
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_create_directory" (func $mkdir (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 16) "out/result.txt")
  ;; The work folder is the first one that the host opens: descriptor 3.
  (func $answer (param $length i32)
    (drop (call $mkdir (i32.const 3) (i32.const 16) (i32.const 3))) ;; "out" may be there
    (if (call $open (i32.const 3) (i32.const 0) (i32.const 16) (i32.const 14)
          (i32.const 9) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 12)) ;; create, truncate; may write
      (then unreachable))
    (i32.store (i32.const 0) (i32.const 4096))
    (i32.store (i32.const 4) (local.get $length))
    (loop $more
      (if (call $write (i32.load (i32.const 12)) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
      (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.load (i32.const 8))))
      (i32.store (i32.const 4) (i32.sub (i32.load (i32.const 4)) (i32.load (i32.const 8))))
      (br_if $more (i32.load (i32.const 4)))))
  (func (export "_start") (local $at i32)
    (i32.store8 (i32.const 4096) (i32.const 97))
    (local.set $at (i32.const 4097))
    (loop $next
      (i32.store16 (local.get $at) (i32.const 0xa9c3))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const 74095))))
    (i32.store8 (local.get $at) (i32.const 122))
    (call $answer (i32.const 70000))))
