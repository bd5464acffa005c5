package retention

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	"rookery/capsule/failpoint"
	"rookery/capsule/id"
	"rookery/supervisor/ledger"
)

const (
	// orderSuffix ends the names of orders in the trash: <root session>.order.
	orderSuffix = ".order"
	// maxOrder bounds one: a tree of the most delegations that a fleet file can allow has less than this for each of them.
	maxOrder = 64 << 20
	// commitTimeout bounds one change to the ledger.
	commitTimeout = 30 * time.Second
)

// remove removes an item that has ended. What it has begun it finishes, or the next supervisor does.
func (p *Pruner) remove(ctx context.Context, item Item) error {
	switch item.Kind {
	case Tree:
		return p.removeTree(ctx, item)
	case Module:
		if err := p.state.RemoveAll(path.Join(modulesDir, item.Name)); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
		defer cancel()
		return p.config.Ledger.ForgetNative(ctx, strings.TrimSuffix(item.Name, moduleSuffix))
	default:
		return p.state.RemoveAll(item.Name)
	}
}

// removeTree writes down what is to go, so that a death on the way leaves half a tree to nobody, and carries it out.
func (p *Pruner) removeTree(ctx context.Context, item Item) error {
	members := slices.Clone(item.members)
	// The root first: without it nobody takes what is left for a whole tree.
	slices.SortFunc(members, func(a, b member) int {
		if (a.ID == item.Name) != (b.ID == item.Name) {
			if a.ID == item.Name {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	order, err := json.Marshal(members)
	if err != nil {
		return err
	}
	name := path.Join(trashDir, item.Name+orderSuffix)
	if err := p.state.WriteFile(name, order, 0o600); err != nil {
		return err
	}
	return p.carryOut(ctx, name, members)
}

// carryOut takes every file out of its place, then the rows out of the ledger, and then removes the order and the files. It may be
// repeated from any point.
func (p *Pruner) carryOut(ctx context.Context, order string, members []member) error {
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.ID
		if s, known := p.config.Ledger.Session(m.ID); known && s.State != ledger.Ended {
			return fmt.Errorf("session %s is %s", m.ID, s.State)
		}
	}
	for _, m := range members {
		for _, place := range m.places() {
			if err := p.discard(place); err != nil {
				return err
			}
		}
		failpoint.Hit(failpoint.Pruned)
		delete(p.sizes, m.ID)
	}
	commit, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if err := p.config.Ledger.Forget(commit, ids); err != nil {
		return err
	}
	if err := p.state.Remove(order); err != nil {
		return err
	}
	return errors.Join(p.emptyTrash(ctx)...)
}

// discard takes what lies at place out of it in one step. Nothing there is no error.
func (p *Pruner) discard(place string) error {
	from, err := p.state.Sub(path.Dir(place))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	trash, err := p.state.Sub(trashDir)
	if err != nil {
		return err
	}
	defer func() { _ = trash.Close() }()
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the process instead
	name := path.Base(place)
	err = unix.Renameat(from.FD(), name, trash.FD(), name+"."+hex.EncodeToString(random[:]))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, unix.EXDEV): // somebody has mounted a disk there
		return from.RemoveAll(name)
	case err != nil:
		return &fs.PathError{Op: "discard", Path: place, Err: err}
	}
	return nil
}

// emptyTrash removes what lies in the trash but orders. What it has no time for goes the next time.
func (p *Pruner) emptyTrash(ctx context.Context) []error {
	trash, err := p.state.Sub(trashDir)
	if err != nil {
		return []error{err}
	}
	defer func() { _ = trash.Close() }()
	names, err := trash.Names()
	errs := []error{err}
	for _, name := range names {
		if ctx.Err() == nil && !strings.HasSuffix(name, orderSuffix) {
			errs = append(errs, trash.RemoveAll(name))
		}
	}
	return clean(errs)
}

// Resume finishes the removals that an earlier supervisor had begun. Call it before anything is served: until then trees may be half
// there.
func (p *Pruner) Resume(ctx context.Context) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.give()
	names, err := p.names(trashDir)
	errs := []error{err}
	for _, name := range names {
		root, isOrder := strings.CutSuffix(name, orderSuffix)
		if !isOrder || !id.Session.Valid(root) {
			continue
		}
		errs = append(errs, p.resume(ctx, path.Join(trashDir, name)))
	}
	return errors.Join(errs...)
}

func (p *Pruner) resume(ctx context.Context, order string) error {
	text, err := p.state.ReadRegular(order, maxOrder)
	if err != nil {
		return err
	}
	var members []member
	if err := json.Unmarshal(text, &members); err != nil {
		return fmt.Errorf("%s: %w", order, err)
	}
	for _, m := range members {
		if !id.Session.Valid(m.ID) || slices.ContainsFunc(m.Capsules, unfit) {
			return fmt.Errorf("%s: %q of %q: %w", order, m.ID, m.Capsules, beneath.ErrName)
		}
	}
	return p.carryOut(ctx, order, members)
}

// unfit is a name that stands for no folder of records.
func unfit(capsule string) bool {
	return capsule == "" || capsule == "." || capsule == ".." || strings.Contains(capsule, "/")
}
