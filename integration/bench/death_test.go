package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/atomicfile"
	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/store"
)

// BenchmarkDelegation is a child's life on a real host, from its parent's `delegate` to its parent's `await`, with a death in between
// that nobody asked for. The row started is the parent's whole `delegate`; the rows of the way out are all since SIGKILL was sent:
//
//	exit    the kernel says that the process is gone
//	record  its completion.json has its name
//	await   the parent's `await` has returned
//
// The baselines are the death of a process with hardly any memory, one file made durable as records are, and one commit of the
// ledger's store; both on the file system that the host's state folder is on.
func BenchmarkDelegation(b *testing.B) {
	n, err := rounds()
	require.NoError(b, err)
	n += warmUps
	noop, disk := newSmall(b, endsNever), newDisk(b)
	h := rig.Up(b, rig.Fleet{
		Store:    []string{rig.Path(rig.Misbehave), rig.Path(capsules)},
		Limits:   map[string]any{"max_spawns_per_root": n, "spawn_rate": "100000/m", "spawn_burst": n},
		Capsules: []rig.Root{{Name: "widow", Task: fmt.Sprintf("%d sleep", n)}},
	})
	widow := h.RootSession("widow")
	told := filepath.Join(widow.GetRecordsDir(), layout.GuestStderrLog)
	seen := map[string]bool{}
	r := measure(b, func(r *rows) {
		r.add("small-exit", noop.die(b))
		r.add("file", disk.write(b))
		r.add("commit", disk.commit(b))
		child := next(b, h, seen)
		record := watch(b, child.records, unix.IN_MOVED_TO)
		killed := killed(b, child.pid)
		at, err := record.seen(outcome.CompletionFile)
		require.NoError(b, err, "no record of %s", child.delegation)
		r.add("exit", killed.exit().Sub(killed.at))
		r.add("record", at.Sub(killed.at))
		said := heard(b, told, child.delegation)
		r.add("started", said.started)
		r.add("await", said.awaited.Sub(killed.at))
	})
	r.report(b, map[string]string{"record": "exit"})
}

// child is a delegation that runs.
type child struct {
	delegation, records string
	pid                 int
}

// next waits for a child that was not there before.
func next(b *testing.B, h *rig.Host, seen map[string]bool) (c child) {
	b.Helper()
	rig.Until(b, bound, "another child runs", func() bool {
		for _, s := range h.Sessions() {
			id := s.GetDelegationId()
			if id == "" || seen[id] || s.GetState() != operatorv1.SessionState_SESSION_STATE_RUNNING {
				continue
			}
			seen[id] = true
			c = child{delegation: id, records: s.GetRecordsDir(), pid: int(s.GetPid())}
			return true
		}
		return false
	})
	return c
}

// said is one line of the capsule widow.
type said struct {
	started time.Duration
	awaited time.Time
}

// heard waits for what widow says about a delegation: how long `delegate` took and when, by its own clock, `await` returned.
func heard(b *testing.B, log, delegation string) (s said) {
	b.Helper()
	rig.Until(b, bound, "the parent is told about "+delegation, func() bool {
		text, err := os.ReadFile(log)
		require.NoError(b, err)
		for line := range bytes.Lines(text) {
			var id string
			var took, at int64
			if _, err := fmt.Sscan(string(line), &id, &took, &at); err == nil && id == delegation && bytes.HasSuffix(line, []byte("\n")) {
				s = said{time.Duration(took), time.Unix(0, at)}
				return true
			}
		}
		return false
	})
	return s
}

// disk does by itself what the host does between a death and the parent.
type disk struct {
	dir   string
	store *store.Store
}

func newDisk(b *testing.B) disk {
	b.Helper()
	d := disk{dir: rig.Dir(b)}
	var err error
	d.store, _, err = store.Open(filepath.Join(d.dir, "db"), time.Second)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, d.store.Close()) })
	return d
}

// row is about as long as a record is and a row of the ledger.
var row = bytes.Repeat([]byte("x"), 600)

func (d disk) write(b *testing.B) time.Duration {
	b.Helper()
	begun := time.Now()
	require.NoError(b, atomicfile.Write(filepath.Join(d.dir, "file"), row, 0o600))
	return time.Since(begun)
}

func (d disk) commit(b *testing.B) time.Duration {
	b.Helper()
	begun := time.Now()
	require.NoError(b, d.store.Update(b.Context(), func(tx *store.Tx) error {
		return tx.Put("bucket", strconv.FormatInt(begun.UnixNano(), 10), row)
	}))
	return time.Since(begun)
}
