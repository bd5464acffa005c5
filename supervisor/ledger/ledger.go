package ledger

import (
	"context"
	"errors"
	"time"

	"rookery/capsule/outcome"
)

// Why a change is refused. Callers branch on them; the errors name the row.
var (
	// ErrNotFound is returned for an id that no row has.
	ErrNotFound = errors.New("not in the ledger")
	// ErrTerminal is returned for a change to something that has ended.
	ErrTerminal = errors.New("has ended")
	// ErrEnding is returned when something that is being ended was to go on.
	ErrEnding = errors.New("is being ended")
	// ErrRequestReused is returned when a request id comes back with another
	// request.
	ErrRequestReused = errors.New("request id was used for another request")
	// ErrConflict is returned when a row is not in the state that the change
	// starts from, or a new row's id is taken.
	ErrConflict = errors.New("does not fit the row")
)

// Intent is what Begin commits before anything is launched: a session, and for a
// delegated one the delegation.
type Intent struct {
	Session    Session
	Delegation *Delegation
}

// FinishedSession is what Finish adds to a session's row.
type FinishedSession struct {
	Status outcome.Status
	Detail string
	// EndedAt zero means now.
	EndedAt    time.Time
	DurationMS int64
	// MaxRSS is in bytes.
	MaxRSS    int64
	CPUMS     int64
	TasksDone int
}

// FinishedDelegation is what Finish adds to a delegation's row.
type FinishedDelegation struct {
	Status     outcome.Status
	Detail     string
	ReportedBy string
	KilledBy   string
	DurationMS int64
	ResultPath string
	Answer     Answer
	Message    string
	// Tell releases the outcome to the parent: it gets the next Seq.
	Tell          bool
	DeliveryError string
}

// Filter selects rows; the zero Filter selects all. Every field that is set must
// match.
type Filter struct {
	// States selects rows in any of them; empty: all.
	States  []State
	Status  outcome.Status
	Capsule string
	// ParentSessionID is the session that delegated.
	ParentSessionID string
	RootSessionID   string
	// After selects ids that sort behind it, for paging.
	After string
	// Limit bounds how many rows are returned; 0: no bound.
	Limit int
}

// View is a consistent look at the ledger. The one that Begin hands to admit
// includes everything decided before in the same group of commits.
type View interface {
	Session(id string) (Session, bool)
	Delegation(id string) (Delegation, bool)
	// Children returns the sessions that a session has delegated to, ended ones
	// too, in id order.
	Children(session string) []Session
	// LiveChildren counts those of them that have not ended.
	LiveChildren(session string) int
	// LiveHost counts the sessions of this host that have not ended, roots too.
	LiveHost() int
	// TotalUnder counts every delegation ever begun beneath a root session.
	TotalUnder(root string) int
}

// Change names rows that have changed since the watcher last received. A watcher
// reads the rows anew: several changes of one row come as one.
type Change struct {
	Sessions    []string
	Delegations []string
	// Missed says that there were more than fit: read everything anew.
	Missed bool
}

// Ledger is the supervisor's knowledge of sessions and delegations. Every method
// may be called from any goroutine. A change that returns a context's error was
// not made; one that returns an error of the disk may have been, see the package.
type Ledger interface {
	View

	// Begin commits an intent. If the parent has used the request id before, the
	// first delegation is returned and nothing is made; with another digest the
	// error is ErrRequestReused. Otherwise admit, if any, runs inside the writer, must
	// not block, and its error is returned as it is. After it the parent must be there
	// and neither ending nor ended: ErrNotFound, ErrEnding, ErrTerminal. A taken id
	// or rows that do not fit together are ErrConflict. The rows begin as Starting.
	Begin(ctx context.Context, intent Intent, admit func(View) error) (existing *Delegation, err error)
	// Started records the process, which waits at its gate. ErrEnding and
	// ErrTerminal mean that the gate must stay shut; nothing was recorded then.
	Started(ctx context.Context, sessionID string, identity Identity, runHex, url string) error
	// Ready makes a started session and its delegation Running. ErrEnding and
	// ErrTerminal when an end was decided first.
	Ready(ctx context.Context, sessionID, containment string) error
	// MarkEnding marks the session and every live session beneath it as Ending, in
	// one commit, and returns all of them, leaf first, those that were already
	// ending too: they keep their first cause. cause is asked for each new one, top
	// down, inside the writer; depth counts from 0 at the named session. A session
	// that has ended with nothing live beneath it gives none and no error.
	MarkEnding(ctx context.Context, sessionID string, cause func(depth int, s Session) Cause) ([]Session, error)
	// Finish makes the session and its delegation Ended. decide runs inside the
	// writer with the rows as they are and must not block; it returns a delegation's
	// end exactly when there is a delegation. A second Finish is ErrTerminal and
	// changes nothing.
	Finish(ctx context.Context, sessionID string, decide func(Session, *Delegation) (FinishedSession, *FinishedDelegation)) error
	// Delivered marks released outcomes of the session as acknowledged. Ids that are
	// none are passed over, repeats change nothing.
	Delivered(ctx context.Context, parentSession string, ids []string, at time.Time) error

	// Note adds to the ended session of a root what followed; the first note stays.
	// ErrNotFound, or ErrConflict for any other session.
	Note(ctx context.Context, sessionID, text string) error
	// Forget removes ended sessions with their delegations, in one commit. Whole
	// trees go: one that lives, or whose children are there and not named, is
	// ErrConflict, and nothing goes. Ids that are none are passed over.
	Forget(ctx context.Context, sessionIDs []string) error

	// Sessions and Delegations return the rows that match, in id order.
	Sessions(Filter) []Session
	Delegations(Filter) []Delegation
	// Released returns the outcomes released to a session behind afterSeq, in the
	// order of their release.
	Released(parentSession string, afterSeq uint64) []Delegation
	// Watch reports changes from now on, until stop. The channel is never closed.
	Watch() (changes <-chan Change, stop func())
	// WaitEnded returns the session's row when it has ended: at once, or when that
	// is committed. ErrNotFound, or the context's error with the row as it is.
	WaitEnded(ctx context.Context, sessionID string) (Session, error)

	// NativeDigest returns the recorded SHA-256 of a piece of native code.
	NativeDigest(key string) (digest string, ok bool)
	// PutNativeDigest records it, replacing what was there.
	PutNativeDigest(ctx context.Context, key, digest string) error
	// NativeKeys lists what has a digest, in order.
	NativeKeys() []string
	// ForgetNative removes a digest; one that is not there is no error.
	ForgetNative(ctx context.Context, key string) error
}
