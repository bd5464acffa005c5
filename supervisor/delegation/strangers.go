package delegation

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rookery/capsule/outcome"
	"rookery/capsule/peercred"
	"rookery/launcher/proc"
	"rookery/supervisor/ledger"
	"rookery/supervisor/records"
)

// knock bounds connecting to a socket of this machine that somebody may or may not listen on.
const knock = time.Second

// deathForgotten is the end of a session that the ledger had lost.
const deathForgotten = "the supervisor lost its ledger; ended by the next one"

// Recover is for a ledger that was lost: it ends the workers that none of its rows names, and gives every session on disk that has no
// end a record of one. What nobody knows any more nobody could see or end. It returns how many sessions it gave a record. Call it after
// Sweep, before anything is started: whoever listens in a run folder then is a worker that was forgotten.
func (t *Tree) Recover(ctx context.Context) (int, error) {
	errs := t.endStrangers(ctx)
	if len(t.ledger.Sessions(ledger.Filter{Limit: 1})) > 0 {
		return 0, errs // the ledger knows its sessions
	}
	onDisk, _ := records.Scan(t.state) // what cannot be read is said by whoever looks at it
	recovered := 0
	for _, s := range onDisk {
		if s.Ended {
			continue
		}
		row := ledger.Session{
			ID: s.SessionID, Capsule: s.CapsuleName, Version: s.Version, SpawnedBy: s.SpawnedBy, DelegationID: s.DelegationID,
			RootSessionID: s.RootSessionID, Depth: s.Depth, TaskID: s.TaskID, Workdir: s.Workdir, RecordsDir: s.Dir,
		}
		v := decide(evidence{record: t.ownRecord(row), death: deathForgotten})
		if _, err := t.record(row, v, max(time.Since(s.StartedAt).Milliseconds(), 0)); err != nil {
			errs = errors.Join(errs, fmt.Errorf("session %s: %w", s.SessionID, err))
			continue
		}
		recovered++
		t.log.Warn().Str("session", s.SessionID).Str("capsule", s.CapsuleName).Str("status", string(outcome.Crashed)).Msg(deathForgotten)
	}
	return recovered, errs
}

// endStrangers kills whoever listens on a plugin socket beneath this state folder. The folders are this user's alone, and only workers
// that were launched here are told of them.
func (t *Tree) endStrangers(ctx context.Context) error {
	sockets, err := filepath.Glob(filepath.Join(t.state.WorkerRun("*"), "plugin*"))
	if err != nil {
		return fmt.Errorf("run folders: %w", err)
	}
	var errs []error
	for _, socket := range sockets {
		if err := t.endStranger(ctx, socket); err != nil {
			errs = append(errs, fmt.Errorf("worker of %s: %w", filepath.Base(filepath.Dir(socket)), err))
		}
	}
	return errors.Join(errs...)
}

func (t *Tree) endStranger(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, gone)
	defer cancel()
	conn, err := (&net.Dialer{Timeout: knock}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil // nobody listens: the file is all that is left
	}
	defer func() { _ = conn.Close() }()
	pid, _, err := peercred.Of(conn)
	if err != nil || pid == os.Getpid() {
		return err
	}
	h, err := proc.Find(pid)
	if errors.Is(err, proc.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer h.Release()
	// Held now; if the connection still names it, it is the one that listens and not another with its number.
	if again, _, err := peercred.Of(conn); err != nil || again != pid {
		return err
	}
	t.log.Warn().Int("pid", pid).Str("run", strings.TrimPrefix(socket, t.state.RunDir())).Msg("a worker that the ledger does not know is ended")
	if err := h.KillGroup(); err != nil && !errors.Is(err, proc.ErrGone) {
		return err
	}
	select {
	case <-h.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("process %d was killed and is still there after %s", pid, gone)
	}
}
