package delegation

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"rookery/supervisor/ledger"
)

// The waits between two tries of an end that could not be committed, and how often it is tried by a supervisor that is stopping.
const (
	firstRetry   = 100 * time.Millisecond
	lastRetry    = 2 * time.Second
	lastAttempts = 5
)

// passing reports what a disk or a process refuses only for a time: room, quota, descriptors, memory.
func passing(err error) bool {
	for _, refusal := range []error{unix.ENOSPC, unix.EDQUOT, unix.ENFILE, unix.EMFILE, unix.ENOMEM} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// insist repeats the conclusion of a session until the ledger takes it: an intent without a terminal record would leave somebody waiting
// for an outcome that never comes. Only the end of this supervisor ends it, for the next one concludes what is open.
func (t *Tree) insist(session string, conclude func() error) {
	left := lastAttempts
	for wait, failed := firstRetry, false; ; wait = min(2*wait, lastRetry) {
		err := conclude()
		if err == nil || errors.Is(err, ledger.ErrTerminal) || errors.Is(err, ledger.ErrNotFound) {
			return
		}
		if t.draining.Load() {
			left--
		}
		if left == 0 {
			t.log.Error().Err(err).Str("session", session).Msg("its end could not be committed: the next supervisor does it")
			return
		}
		if !failed {
			failed = true
			t.log.Error().Err(err).Str("session", session).Msg("its end could not be committed: it is tried until it is")
		}
		time.Sleep(wait)
	}
}
