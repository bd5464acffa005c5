package delegation

import (
	"slices"

	"rookery/launcher"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// Mount shows a folder of the host to the capsules it names. It is the fleet's grant, by name: no manifest asks for one and no parent
// hands one on.
type Mount struct {
	launcher.Mount
	Capsules []string
}

// mounted are the folders that a capsule sees beside its own, in the order of the fleet file.
func (t *Tree) mounted(capsule string) []launcher.Mount {
	var out []launcher.Mount
	for _, m := range t.mounts {
		if slices.Contains(m.Capsules, capsule) {
			out = append(out, m.Mount)
		}
	}
	return out
}

// filesystem tells the worker what of its folders the capsule sees and may change.
func (r *run) filesystem() *workerv1.Filesystem {
	f := &workerv1.Filesystem{ReadOnly: r.entry.Package.Manifest.Capabilities.Filesystem.ReadOnly}
	for _, m := range r.tree.mounted(r.session.Capsule) {
		f.Mounts = append(f.Mounts, &workerv1.Mount{Guest: m.Guest, ReadOnly: m.ReadOnly})
	}
	return f
}
