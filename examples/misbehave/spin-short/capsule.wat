;; Spins for ever, under a deadline of one second.
(module
  (memory (export "memory") 1)
  (func (export "_start") (loop $again (br $again))))
