package delegation

import (
	"fmt"
	"strings"

	"rookery/capsule/layout"
	"rookery/capsule/outcome"
	"rookery/launcher/compose"
)

// runtimeFiles are what the capsule finds in murmur-runtime/.
func (r *run) runtimeFiles() map[string][]byte {
	return map[string][]byte{
		layout.TaskFile:     []byte(r.task),
		layout.AboutFile:    []byte(r.about()),
		layout.ManifestFile: r.entry.Package.ManifestText,
		layout.ContextFile:  []byte("[]\n"),
	}
}

// about is MURMUR.md: what a capsule's author, or a model inside the capsule, needs to know about where it runs.
func (r *run) about() string {
	m := r.entry.Package.Manifest
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\nSession %s, depth %d.\n\n", m.Name, m.Version, r.session.ID, r.session.Depth)
	fmt.Fprintf(&b, "- Work folder: `.` (read and write). Leave the answer in `%s`.\n", layout.ResultFile)
	fmt.Fprintf(&b, "- `%s/` holds the task (`%s`), this text, the manifest and earlier turns; nothing in it can be changed.\n", layout.RuntimeMount, layout.TaskFile)
	r.aboutFolders(&b)
	fmt.Fprintf(&b, "- The task ends after %s at the latest.\n", outcome.Span(m.Capabilities.Limits.Deadline))
	if allow := m.Capabilities.SpawnAllow; len(allow) > 0 {
		fmt.Fprintf(&b, "- May delegate to: %s. Outcomes come with the words of the capsule that ran, fenced as untrusted.\n", strings.Join(allow, ", "))
	}
	return b.String()
}

// aboutFolders says what bounds the work folder, and what lies beside it.
func (r *run) aboutFolders(b *strings.Builder) {
	c := r.entry.Package.Manifest.Capabilities
	if paths := c.Filesystem.ReadOnly; len(paths) > 0 {
		fmt.Fprintf(b, "- Of the work folder this cannot be changed: `%s`.\n", strings.Join(paths, "`, `"))
	}
	fmt.Fprintf(b, "- The work folder may hold %d bytes in %d files and folders.\n", c.Resources.WorkdirMaxBytes, c.Resources.WorkdirMaxFiles)
	for _, m := range r.tree.mounted(r.session.Capsule) {
		way := "read and write"
		if m.ReadOnly {
			way = "read only"
		}
		fmt.Fprintf(b, "- `/%s` is a folder of the host (%s).\n", m.Guest, way)
	}
}

func (r *run) guestEnv(url string) []string {
	return compose.GuestEnv(compose.Guest{
		Allow: r.entry.Package.Manifest.Capabilities.EnvAllow, Values: r.env, SessionID: r.session.ID, Capsule: r.session.Capsule,
		Version: r.session.Version, URL: url, TaskID: r.session.TaskID, ContextID: r.session.ContextID, Spawner: r.spawner(),
	})
}
