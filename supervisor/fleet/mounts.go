package fleet

import (
	"fmt"
	"os"
	"path"
	"slices"

	"rookery/capsule/layout"
)

// maxMounts bounds the folders that one capsule sees: its worker holds a descriptor for
// each.
const maxMounts = 16

func (c *checker) mounts(written []mount) []Mount {
	seen := map[string]map[string]bool{} // by capsule, then by the guest's name
	var mounts []Mount
	for i, w := range written {
		at := fmt.Sprintf("mounts[%d]", i)
		m := Mount{Host: c.hostFolder(at, w.Host), Guest: w.Guest, ReadOnly: w.ReadOnly == nil || *w.ReadOnly, Capsules: w.Capsules}
		c.guestFolder(at, w.Guest)
		if len(w.Capsules) == 0 {
			c.missing(at, "capsules", "a mount names the capsules that see it")
		}
		for j, name := range w.Capsules {
			field := fmt.Sprintf("%s.capsules[%d]", at, j)
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			switch {
			case !bareName(name):
				c.bad(field, "%.120q is not a capsule's name", name)
			case seen[name][w.Guest]:
				c.bad(field, "%s sees a folder %q already", name, w.Guest)
			case len(seen[name]) >= maxMounts:
				c.bad(field, "%s would see more than %d folders", name, maxMounts)
			}
			seen[name][w.Guest] = true
		}
		mounts = append(mounts, m)
	}
	return mounts
}

func (c *checker) hostFolder(at, host string) string {
	if host == "" {
		c.missing(at, "host", "a mount names a folder of the host")
		return ""
	}
	folder := c.path(at+".host", host)
	if info, err := os.Stat(folder); err != nil {
		c.fault(at+".host", CodeMount, "%.200q: %v", host, withoutPath(err))
	} else if !info.IsDir() {
		c.fault(at+".host", CodeMount, "%.200q: not a folder", host)
	}
	return folder
}

// taken are names in a capsule's folder that the host gives a meaning.
var taken = []string{layout.RuntimeMount, path.Dir(layout.ResultFile)}

func (c *checker) guestFolder(at, guest string) {
	switch {
	case guest == "":
		c.missing(at, "guest", "a mount has a name in the capsule's sight")
	case !plain(guest):
		c.bad(at+".guest", "%.80q is not one plain name: use letters, digits and . _ - after a first letter or digit, at most %d characters", guest, maxID)
	case slices.Contains(taken, guest):
		c.bad(at+".guest", "%q is the host's own", guest)
	}
}
