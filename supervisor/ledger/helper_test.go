package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/id"
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
	"rookery/supervisor/store"
)

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// helperVar makes the test binary play a supervisor on a full disk, see
// TestAFullDiskUndoesWhatTheGroupHadDecided.
const helperVar = "ROOKERY_LEDGER_TEST_HELPER"

func TestMain(m *testing.M) {
	path := os.Getenv(helperVar)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := onFullDisk(path); err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
}

// host is a ledger in a store of its own.
type host struct {
	*ledger.Book
	t      *testing.T
	path   string
	copies int
}

func newHost(t *testing.T) *host {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return openHost(t, filepath.Join(dir, "state.db"))
}

func openHost(t *testing.T, path string) *host {
	t.Helper()
	s, warning, err := store.Open(path, patience)
	require.NoError(t, err)
	require.Empty(t, warning)
	t.Cleanup(func() { _ = s.Close() })
	book, err := ledger.Open(t.Context(), s)
	require.NoError(t, err)
	return &host{Book: book, t: t, path: path}
}

// reread opens a copy of the host's file, as the next supervisor would.
func (h *host) reread() *host {
	h.t.Helper()
	data, err := os.ReadFile(h.path)
	require.NoError(h.t, err)
	h.copies++
	path := fmt.Sprintf("%s.copy-%d", h.path, h.copies)
	require.NoError(h.t, os.WriteFile(path, data, 0o600))
	return openHost(h.t, path)
}

// root begins a root session.
func (h *host) root() ledger.Session {
	h.t.Helper()
	ses := ledger.Session{ID: id.Session.New(), RootID: "top", Capsule: "top", Version: "1.0.0"}
	_, err := h.Begin(h.t.Context(), ledger.Intent{Session: ses}, nil)
	require.NoError(h.t, err)
	return h.session(ses.ID)
}

// intent is a child of parent under a new request.
func intent(parent ledger.Session) ledger.Intent {
	s := ledger.Session{
		ID: id.Session.New(), Capsule: "child", Version: "1.0.0", SpawnedBy: parent.ID, DelegationID: id.Delegation.New(),
		RootSessionID: parent.RootSessionID, Depth: parent.Depth + 1,
	}
	return ledger.Intent{Session: s, Delegation: &ledger.Delegation{
		ID: s.DelegationID, RequestID: id.Request.New(), RequestDigest: "digest", ParentSessionID: parent.ID,
		RootSessionID: parent.RootSessionID, SessionID: s.ID, Capsule: s.Capsule, Version: s.Version, Depth: s.Depth,
	}}
}

// child begins a delegation of parent.
func (h *host) child(parent ledger.Session) ledger.Session {
	h.t.Helper()
	begun := intent(parent)
	existing, err := h.Begin(h.t.Context(), begun, nil)
	require.NoError(h.t, err)
	require.Nil(h.t, existing)
	return h.session(begun.Session.ID)
}

func (h *host) session(id string) ledger.Session {
	h.t.Helper()
	s, ok := h.Session(id)
	require.True(h.t, ok, id)
	return s
}

func (h *host) delegation(id string) ledger.Delegation {
	h.t.Helper()
	d, ok := h.Delegation(id)
	require.True(h.t, ok, id)
	return d
}

// process names a process that never was.
var process = ledger.Identity{PID: 4242, StartTime: 99, BootID: "boot"}

// ready takes a session to Running.
func (h *host) ready(s ledger.Session) {
	h.t.Helper()
	require.NoError(h.t, h.Started(h.t.Context(), s.ID, process, "0011aabb", "http://127.0.0.1:1"))
	require.NoError(h.t, h.Ready(h.t.Context(), s.ID, "advisory"))
}

// ends decides a session with the given status, told or not.
func ends(status outcome.Status, tell bool) func(ledger.Session, *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
	return func(s ledger.Session, d *ledger.Delegation) (ledger.FinishedSession, *ledger.FinishedDelegation) {
		end := ledger.FinishedSession{Status: status, Detail: "why", DurationMS: 7, MaxRSS: 1 << 20, CPUMS: 3, TasksDone: 1}
		if d == nil {
			return end, nil
		}
		return end, &ledger.FinishedDelegation{
			Status: status, Detail: "why", ReportedBy: string(outcome.Child), DurationMS: 7, ResultPath: "out/result.txt",
			Answer: ledger.Answer{State: outcome.ResultText, Text: "forty-two"}, Message: "fenced", Tell: tell,
		}
	}
}

// because is a cause for every session of a subtree.
func because(kind ledger.CauseKind) func(int, ledger.Session) ledger.Cause {
	return func(depth int, _ ledger.Session) ledger.Cause {
		return ledger.Cause{Kind: kind, Status: outcome.Terminated, Detail: fmt.Sprintf("%s, %d deep", kind, depth), By: "someone"}
	}
}

// onFullDisk begins sessions while the kernel refuses to let the file grow.
func onFullDisk(path string) error {
	signal.Ignore(unix.SIGXFSZ)
	ctx := context.Background()
	s, _, err := store.Open(path, patience)
	if err != nil {
		return err
	}
	book, err := ledger.Open(ctx, s)
	if err != nil {
		return err
	}
	var whole unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &whole); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 0, Max: whole.Max}); err != nil {
		return err
	}
	top := ledger.Session{ID: id.Session.New(), Capsule: "top", Version: "1.0.0"}
	seen := -1
	count := func(v ledger.View) error {
		seen = v.LiveHost()
		return nil
	}
	if _, err := book.Begin(ctx, ledger.Intent{Session: top}, count); err == nil {
		return errors.New("an intent was begun on a full disk")
	}
	if _, known := book.Session(top.ID); known || book.LiveHost() != 0 {
		return errors.New("a reader sees what was not committed")
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &whole); err != nil {
		return err
	}
	if _, err := book.Begin(ctx, ledger.Intent{Session: top}, count); err != nil || seen != 0 {
		return fmt.Errorf("after the disk had room again: %w, admission saw %d sessions", err, seen)
	}
	return s.Close()
}

func TestAFullDiskUndoesWhatTheGroupHadDecided(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, "state.db")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = []string{helperVar + "=" + path}
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	assert.Len(t, openHost(t, path).Sessions(ledger.Filter{}), 1)
}
