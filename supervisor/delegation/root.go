package delegation

import (
	"context"
	"time"

	"rookery/launcher"
	"rookery/supervisor/catalog"
	"rookery/supervisor/ledger"
)

// Root is a capsule that the fleet or an operator starts.
type Root struct {
	// ID is the fleet's name of it.
	ID    string
	Entry *catalog.Entry
	Task  string
	// Workdir is the capsule's own folder; empty for one beneath the state folder, made for this session.
	Workdir string
	// Env holds the values for the names in the manifest's env.allow.
	Env map[string]string
	// Door is where it serves, kept from one session of this root to the next and its keeper's to close; nil for a port of the session's own.
	Door *launcher.Door
}

// StartRoot starts a root session and returns its id once the intent is durable. A *Refusal says that the host is full or stopping;
// whatever goes wrong later is the session's own end.
func (t *Tree) StartRoot(ctx context.Context, root Root) (string, error) {
	m := mint()
	manifest := root.Entry.Package.Manifest
	s := ledger.Session{
		ID: m.session, RootID: root.ID, Capsule: manifest.Name, Version: manifest.Version, RootSessionID: m.session, TaskID: m.task,
		ContextID: m.context, Workdir: root.Workdir, Scope: manifest.Capabilities.Filesystem.Scope, RecordsDir: t.state.Records(manifest.Name, m.session), Door: doorOpen,
		StartedAt: time.Now(),
	}
	if s.Workdir == "" {
		s.Workdir, s.WorkdirOurs = t.state.Work(m.session), true
	}
	r := t.newRun(s, nil, root.Entry, root.Task, pick(root.Env, manifest))
	r.door = root.Door
	_, err := t.begin(ctx, r, func(v ledger.View) error {
		if n := v.LiveHost(); n >= t.limits.MaxLive {
			return overLimit(CodeHost, t.limits.MaxLive, n, "%d capsules live on this host; max_live_capsules is %d", n, t.limits.MaxLive)
		}
		if refused := t.room(); refused != nil {
			return refused
		}
		if t.draining.Load() {
			return refuse(CodeShuttingDown, "the supervisor is stopping")
		}
		return nil
	})
	return s.ID, err
}
