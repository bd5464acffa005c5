package compose

import (
	"fmt"
	"path/filepath"

	"rookery/capsule/beneath"
)

// Narrow makes the folder scope beneath the work folder, when it is missing, and lets Work stand for it: whoever inherits the
// descriptor has nothing of what lies above. A link on the way is refused: an earlier session may have left it.
func (f *Folders) Narrow(scope string) error {
	if err := f.Work.MkdirAll(scope, private); err != nil {
		return fmt.Errorf("scope %s of the work folder: %w", scope, err)
	}
	narrow, err := f.Work.Sub(scope)
	if err != nil {
		return fmt.Errorf("scope %s of the work folder: %w", scope, err)
	}
	f.Work, f.wide = narrow, append(f.wide, f.Work)
	return nil
}

// Mount holds a folder of the host for the session, until the Folders end. The path is the operator's own: links in it are meant.
func (f *Folders) Mount(host string) error {
	if !filepath.IsAbs(host) {
		return fmt.Errorf("mounted folder %s is not an absolute path", host)
	}
	dir, err := beneath.Open(host)
	if err != nil {
		return fmt.Errorf("mounted folder: %w", err)
	}
	f.Mounts = append(f.Mounts, dir)
	return nil
}
