;; Spins for ever and calls nothing: only the engine can stop it.
(module
  (memory (export "memory") 1)
  (func (export "_start") (loop $again (br $again))))
