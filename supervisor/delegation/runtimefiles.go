package delegation

import (
	"fmt"
	"strings"

	"rookery/capsule/layout"
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
	fmt.Fprintf(&b, "- The task ends after %s at the latest.\n", Span(m.Capabilities.Limits.Deadline))
	if allow := m.Capabilities.SpawnAllow; len(allow) > 0 {
		fmt.Fprintf(&b, "- May delegate to: %s. Outcomes come with the words of the capsule that ran, fenced as untrusted.\n", strings.Join(allow, ", "))
	}
	return b.String()
}

func (r *run) guestEnv(url string) []string {
	return compose.GuestEnv(compose.Guest{
		Allow: r.entry.Package.Manifest.Capabilities.EnvAllow, Values: r.env, SessionID: r.session.ID, Capsule: r.session.Capsule,
		Version: r.session.Version, URL: url, TaskID: r.session.TaskID, ContextID: r.session.ContextID, Spawner: r.spawner(),
	})
}
