;; Fills 256 MiB again and again under a deadline of one second. One fill is one instruction: nothing interrupts it.
(module
  (memory (export "memory") 4096)
  (func (export "_start")
    (loop $again
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x10000000))
      (br $again))))
