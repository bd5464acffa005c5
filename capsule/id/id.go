package id

import (
	"encoding/hex"
	"strings"

	"github.com/google/uuid"
)

// Kind is the prefix that says what an id names.
type Kind string

// The kinds this host mints.
const (
	// Session names one launch of a capsule.
	Session Kind = "ses_"
	// Task names one task a session works on.
	Task Kind = "tsk_"
	// Context names a conversation that tasks belong to.
	Context Kind = "ctx_"
	// Delegation names one launch of a child on behalf of a parent.
	Delegation Kind = "dlg_"
	// Message names an A2A message.
	Message Kind = "msg_"
	// Request names a JSON-RPC request or a guest call that may be sent again.
	Request Kind = "req_"
	// Event names one line of a trace.
	Event Kind = "evt_"
)

// digits is the length of a UUID in hex without dashes.
const digits = 32

// New mints an id of this kind. It is safe for concurrent use, and ids from one
// process sort in the order of the calls.
func (k Kind) New() string {
	u := uuid.Must(uuid.NewV7())
	var text [digits]byte
	hex.Encode(text[:], u[:])
	return string(k) + string(text[:])
}

// Valid reports whether s is this kind's prefix and exactly 32 lower-case hex
// digits, which also makes it safe as a file name. It does not look at the UUID's
// version: ids written by other implementations are accepted.
func (k Kind) Valid(s string) bool {
	rest, ok := strings.CutPrefix(s, string(k))
	return ok && len(rest) == digits && Hex(rest)
}

// Hex reports whether s is one or more lower-case hex digits.
func Hex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}
