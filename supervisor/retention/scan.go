package retention

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/supervisor/ledger"
	"rookery/supervisor/records"
)

// asidePrefix begins the names of databases that were set aside, as package store gives them.
const asidePrefix = ".corrupt-"

// scan lists everything that retention is about. Errors name what could not be looked at; that stays.
func (p *Pruner) scan(ctx context.Context, now time.Time) ([]Item, []error) {
	// The folders first: a session that is in none of the rows read later has none that will come.
	found, errs := p.onDisk()
	rows := p.config.Ledger.Sessions(ledger.Filter{})
	latest := p.latest(rows)
	var items []Item
	for root, g := range groups(found, rows) {
		item, err := p.tree(ctx, root, g, latest, now)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		items = append(items, item)
	}
	files, faults := p.files(ctx)
	return append(items, files...), clean(append(errs, faults...))
}

// left is what a session was found to have left.
type left struct {
	// capsules are those under whose names it has records: one, unless something went wrong.
	capsules []string
	// root is what its lineage says; empty without one.
	root string
}

// onDisk are the sessions that have left anything.
func (p *Pruner) onDisk() (map[string]*left, []error) {
	found := map[string]*left{}
	of := func(session string) *left {
		if found[session] == nil {
			found[session] = &left{}
		}
		return found[session]
	}
	capsules, err := p.names(recordsDir)
	errs := []error{err}
	for _, capsule := range capsules {
		names, err := p.names(path.Join(recordsDir, capsule))
		errs = append(errs, ignore(err))
		for _, name := range names {
			session := strings.TrimSuffix(name, lineageSuffix)
			if l := of(session); !slices.Contains(l.capsules, capsule) {
				l.capsules = append(l.capsules, capsule)
			}
		}
	}
	for _, folder := range []string{workDir, sessionsDir} {
		names, err := p.names(folder)
		errs = append(errs, err)
		for _, name := range names {
			of(name)
		}
	}
	lineages, faults := records.Scan(p.config.State)
	for _, l := range lineages {
		of(l.SessionID).root = l.RootSessionID
	}
	// What is not named by a session is nobody's here, a folder of the operator's perhaps.
	maps.DeleteFunc(found, func(session string, _ *left) bool { return !id.Session.Valid(session) })
	return found, append(errs, faults...)
}

// group is one tree.
type group struct {
	members []member
	rows    map[string]ledger.Session
}

// groups puts what was left and the rows together by their root sessions.
func groups(found map[string]*left, rows []ledger.Session) map[string]*group {
	all := map[string]*group{}
	of := func(root string) *group {
		if all[root] == nil {
			all[root] = &group{rows: map[string]ledger.Session{}}
		}
		return all[root]
	}
	for _, s := range rows {
		m := member{ID: s.ID, Capsules: []string{s.Capsule}}
		if l := found[s.ID]; l != nil && !slices.Contains(l.capsules, s.Capsule) {
			m.Capsules = append(m.Capsules, l.capsules...)
		}
		g := of(s.RootSessionID)
		g.rows[s.ID] = s
		g.members = append(g.members, m)
		delete(found, s.ID)
	}
	for session, l := range found {
		root := l.root
		if !id.Session.Valid(root) {
			root = session
		}
		g := of(root)
		g.members = append(g.members, member{ID: session, Capsules: l.capsules})
	}
	return all
}

// tree makes the item of one group.
func (p *Pruner) tree(ctx context.Context, root string, g *group, latest map[string]bool, now time.Time) (Item, error) {
	item := Item{Kind: Tree, Name: root, members: g.members}
	for _, m := range g.members {
		row, known := g.rows[m.ID]
		u, err := p.size(ctx, m, known && row.State == ledger.Ended)
		if err != nil {
			return item, fmt.Errorf("session %s cannot be measured: %w", m.ID, err)
		}
		item.Bytes += u.bytes
		if m.ID == root && len(m.Capsules) > 0 {
			item.Capsule = m.Capsules[0]
		}
		ended := u.newest
		if known {
			ended = row.EndedAt
			item.fixed = item.fixed || row.State != ledger.Ended || latest[m.ID]
		} else {
			// Nobody knows how it ended, or that it has: a worker may live that an earlier database knew.
			item.fixed = item.fixed || now.Sub(ended) < p.config.Grace
		}
		if ended.After(item.Ended) {
			item.Ended = ended
		}
	}
	return item, nil
}

// latest are the latest sessions of the fleet's roots.
func (p *Pruner) latest(rows []ledger.Session) map[string]bool {
	of := map[string]string{}
	for _, s := range rows { // in the order they began
		if s.RootID != "" && p.config.Root(s.RootID) {
			of[s.RootID] = s.ID
		}
	}
	latest := map[string]bool{}
	for _, session := range of {
		latest[session] = true
	}
	return latest
}

// size measures everything that removing the session would free. What has ended is measured once.
func (p *Pruner) size(ctx context.Context, m member, ended bool) (usage, error) {
	if u, known := p.sizes[m.ID]; known {
		return u, nil
	}
	var all usage
	for _, place := range m.places() {
		u, err := measure(ctx, p.state, place)
		if err != nil {
			return all, err
		}
		all.join(u)
	}
	if ended {
		p.sizes[m.ID] = all
	}
	return all, nil
}

// The folders of a state folder, as names beneath it: layout gives them absolute.
const (
	recordsDir    = "records"
	workDir       = "work"
	sessionsDir   = "sessions"
	modulesDir    = "modules"
	trashDir      = "trash"
	lineageSuffix = ".json"
)

// places are everything that a session may have left, lineages first: without one nobody finds the rest.
func (m member) places() []string {
	var lineages, folders []string
	for _, capsule := range m.Capsules {
		folder := path.Join(recordsDir, capsule, m.ID)
		lineages, folders = append(lineages, folder+lineageSuffix), append(folders, folder)
	}
	return append(append(lineages, folders...), path.Join(workDir, m.ID), path.Join(sessionsDir, m.ID))
}

// files are native code and databases.
func (p *Pruner) files(ctx context.Context) (items []Item, errs []error) {
	add := func(kind Kind, folder, name string, fixed bool) {
		u, err := measure(ctx, p.state, path.Join(folder, name))
		if err != nil {
			errs = append(errs, err)
			return
		}
		items = append(items, Item{Kind: kind, Name: name, Bytes: u.bytes, Ended: u.newest, fixed: fixed})
	}
	used, err := p.config.InUse()
	errs = append(errs, err)
	modules, fault := p.names(modulesDir)
	errs = append(errs, fault)
	for _, name := range modules {
		if strings.HasSuffix(name, moduleSuffix) {
			add(Module, modulesDir, name, err != nil || used[name])
		}
	}
	top, fault := p.state.Names()
	errs = append(errs, fault)
	database := path.Base(p.config.State.DB())
	for _, name := range top {
		if strings.HasPrefix(name, database+asidePrefix) {
			add(Database, "", name, false)
		}
	}
	return items, errs
}

// moduleSuffix ends the names of native code.
var moduleSuffix = path.Ext(layout.State{}.Module("k"))

func (p *Pruner) names(rel string) ([]string, error) {
	dir, err := p.state.Sub(rel)
	if err != nil {
		return nil, err
	}
	names, err := dir.Names()
	return names, errors.Join(err, dir.Close())
}

// clean drops what is no error.
func clean(errs []error) []error {
	var out []error
	for _, err := range errs {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}
