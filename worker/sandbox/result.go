package sandbox

import (
	"fmt"
	"strings"
	"unicode"
)

// Result says how a task ended. Exactly one of Exited, Canceled, Limit, Trap and Err says
// so.
type Result struct {
	// Exited: the guest came to its end by itself, with status Exit. A guest that
	// returns from _start has exited with 0.
	Exited bool
	Exit   int
	// Canceled: the context ended first. The cause is the context's, which the caller
	// knows.
	Canceled bool
	// Limit names a limit that ended the guest.
	Limit string
	// Trap is the short name of the trap that ended the guest.
	Trap string
	// Err: the guest did not run, or the host failed it: a module without _start or
	// with an import that nothing provides, a first memory over the limit. One line.
	Err error
	// Output is the first error of Stdout or Stderr; how the guest ended stands beside
	// it. nil if both took all that the guest wrote.
	Output error
	// MemoryHigh is how far the guest's memory had grown, MemoryLimit how far it was
	// allowed to, in bytes. Memory never shrinks, so the last size is the highest.
	MemoryHigh, MemoryLimit uint64
}

// Detail names the cause in the words of a completion record; "" for exit 0.
func (r Result) Detail() string {
	switch {
	case r.Exited && r.Exit == 0:
		return ""
	case r.Exited:
		return fmt.Sprintf("exit %d", r.Exit) + r.memoryNote()
	case r.Canceled:
		return "canceled"
	case r.Limit != "":
		return r.Limit
	case r.Trap == trapUnreachable:
		return "trap: " + r.Trap + r.memoryNote()
	case r.Trap != "":
		return "trap: " + r.Trap
	case r.Err != nil:
		return r.Err.Error()
	}
	return "the guest did not run"
}

// memoryNote names the memory if the guest most likely ended because it could get no
// more. The engine does not tell when it refuses to grow a memory, but a runtime that
// is refused gives up at once (Go's exits with 2, others execute `unreachable`) and by
// then has used nearly all it may. An eighth is room for the request that did not fit.
func (r Result) memoryNote() string {
	if r.MemoryLimit == 0 || r.MemoryHigh < r.MemoryLimit-r.MemoryLimit/8 {
		return ""
	}
	return fmt.Sprintf(" (memory %s of %s)", size(r.MemoryHigh), size(r.MemoryLimit))
}

const trapUnreachable = "unreachable"

// trapNames are the names that a person reads in a record, by the engine's number.
var trapNames = []string{
	0:  "call stack exhausted",
	1:  "out of bounds memory access",
	2:  "misaligned memory access",
	3:  "out of bounds table access",
	4:  "call of a null table element",
	5:  "indirect call type mismatch",
	6:  "integer overflow",
	7:  "integer divide by zero",
	8:  "invalid conversion to integer",
	9:  trapUnreachable,
	10: "interrupted",
	11: "out of fuel",
}

// trapInterrupt is the number of the trap that a passed epoch deadline raises.
const trapInterrupt = 10

func trapName(code int) string {
	if code >= 0 && code < len(trapNames) {
		return trapNames[code]
	}
	return fmt.Sprintf("trap %d of the engine", code)
}

// size prints bytes in the largest unit that fits, cut to whole units.
func size(n uint64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%dMi", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%dKi", n>>10)
	}
	return fmt.Sprintf("%d", n)
}

// bounded makes one line of printable text of at most maxEngineText bytes: the engine
// quotes names that the guest chose.
func bounded(text string) string {
	clean := strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
	clean = strings.Join(strings.Fields(clean), " ")
	if len(clean) > maxEngineText {
		clean = strings.ToValidUTF8(clean[:maxEngineText], "") + "…"
	}
	return clean
}
