package admission

// What a module may have at most. Counts that are not listed are bounded by the bytes
// that hold them. The largest values seen in guests of Go, C, Rust and AssemblyScript
// stand beside the limits that are near to something real.
const (
	// MaxModule is the size of a module in bytes; a Go guest with net/http has 5.4 MB.
	MaxModule = 32 << 20
	// MaxBody is the size of one function's body in bytes (seen: 46 KB). The engine's
	// compiler numbers values in 24 bits and overflows without a word
	// (GHSA-897f-g5gm-fmxm); this leaves 64 values for each byte.
	MaxBody = 256 << 10
	// MaxLocals is how many locals a function may declare (seen: 201).
	MaxLocals = 4096
	// MaxBranches is how many targets one br_table may have (seen: 964); large jump
	// tables are miscompiled on aarch64 (GHSA-mghf-wjfp-p5xm).
	MaxBranches = 16384
	// MaxTypes is how many function types a module may declare (seen: 60).
	MaxTypes = 65536
	// MaxImports and MaxExports bound names, of MaxName bytes each (seen: 26 and 40).
	MaxImports = 1000
	MaxExports = 10000
	MaxName    = 1024
	// MaxParams bounds a function type's parameters, and its results.
	MaxParams = 1000
	// MaxTables is how many tables a module may define, MaxTableElements how large one
	// may be at first. A task's own limit may be lower.
	MaxTables        = 4
	MaxTableElements = 1_000_000
	// MaxMemoryPages is how large the memory may be at first, in pages of 64 KiB: 1
	// GiB. A task's own limit may be lower.
	MaxMemoryPages = 16384
)
