;; Takes memory, 1 MiB at a time, until it is refused; then it traps. It touches none of it.
(module
  (memory (export "memory") 1)
  (func (export "_start")
    (loop $more
      (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    unreachable))
