package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rs/zerolog"

	"rookery/capsule/pack"
	"rookery/supervisor/catalog"
	"rookery/supervisor/fleet"
)

// CompileOptions are what `compile` was told.
type CompileOptions struct {
	// Path is a package, folder or archive, or a store of them.
	Path     string
	StateDir string
	Worker   string
	// Done is called with the name and version of each capsule whose native code is in the cache.
	Done func(capsule string)
	Log  zerolog.Logger
}

// Compile fills a state folder's native-code cache while no supervisor runs on it. One module that does not compile does not keep the
// others from it.
func Compile(ctx context.Context, o CompileOptions) (err error) {
	entries, errs := entriesAt(o.Path)
	if len(entries) == 0 {
		return config(errors.Join(errs...))
	}
	h := &host{ctx: ctx, log: o.Log, o: Options{StateDir: o.StateDir, Worker: o.Worker, Fleet: &fleet.Fleet{}}}
	defer func() { err = errors.Join(err, h.close()) }()
	for _, step := range []func(context.Context) error{h.claim, h.install, h.know} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := h.stock(); err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Manifest.Name + " " + e.Manifest.Version
		native, _, err := h.native.Native(ctx, e)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		errs = append(errs, native.Close())
		o.Done(name)
	}
	return errors.Join(errs...)
}

// entriesAt is the package at path, or all of the store there.
func entriesAt(path string) ([]*catalog.Entry, []error) {
	one, err := pack.Open(path)
	if err == nil {
		return []*catalog.Entry{{Package: one}}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, []error{err} // there is a package, and it cannot be used
	}
	found, errs := catalog.Open([]string{path})
	entries := found.Entries()
	if len(entries) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: there is no package, and none beneath it", path))
	}
	return entries, errs
}
