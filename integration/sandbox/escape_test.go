package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// tree describes all that is in a folder: names, modes, lengths, times, link targets and contents.
func tree(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s %d %s", path, info.Mode(), info.Size(), info.ModTime())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " -> %s", target)
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

// attempts is the answer of the probe's escape and swap.
type attempts struct {
	Calls, Succeeded int
	Leaks            []string
}

// secret is what files outside hold; the probe knows its first word and its length.
var secret = "OUTSIDE" + strings.Repeat("x", 7770)

// cage is where the outside and the work folder lie in a place: deep enough that nothing a guest of these tests climbs leads out of the
// place, should the sandbox fail. The guest runs as root where the tests do.
const cage = "1/2/3/4/5/6/"

// layOut makes an outside that nobody may touch and a work folder full of ways to it.
func layOut(p *place) {
	for _, name := range []string{"secret", "dir/secret", "a/b/secret"} {
		p.write(cage+"outside/"+name, secret)
	}
	p.write(cage+"data/secret-of-ours", "given")
	p.link(cage+"data/up", "../outside")
	w := cage + "w/"
	p.write(w+"a/b/file", "mine")
	p.link(w+"up", "../outside")
	p.link(w+"abs", p.path(cage+"outside"))
	p.link(w+"root", "/") // followed by the place's own path only
	p.link(w+"chain", "up")
	p.link(w+"deep/up", "../../outside")
	p.link(w+"self", "/proc/self")
	p.link(w+"magic", "/proc/self/root")
	p.link(w+"loop", "loop")
	p.link(w+"dots", "..//")
	p.link(w+"slash", "../outside/")
}

func TestNoCallLinkOrRenameLeavesTheFoldersOrChangesTheRuntimeFolder(t *testing.T) {
	t.Parallel()
	for name, opts := range users() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			store := p.capsule("probe", probe, "limits: {deadline_seconds: 120}")
			layOut(p)
			p.give(opts)
			h := rig.Up(t, rig.Fleet{
				Store:    []string{store},
				Capsules: []rig.Root{{Name: "probe", Task: "escape " + p.path(cage[:len(cage)-1]), Workdir: p.path(cage + "w")}},
				Mounts:   []rig.Mount{{Host: p.path(cage + "data"), Guest: "data", ReadOnly: true, Capsules: []string{"probe"}}},
			}, opts...)
			session := h.RootSession("probe")
			runtime := h.State.Runtime(session.GetSessionId())
			rig.Until(t, rig.Soon, "the session runs", func() bool {
				return h.RootSession("probe").GetState() == operatorv1.SessionState_SESSION_STATE_RUNNING
			})

			around := names(t, p.path(cage))
			outside, given, told := tree(t, p.path(cage+"outside")), tree(t, p.path(cage+"data")), tree(t, runtime)
			require.Contains(t, told, "task.md")
			p.write(cage+"w/start", "")
			rig.Until(t, time.Minute, "the guest has tried everything", func() bool {
				_, err := os.Stat(p.path(cage + "w/done"))
				return err == nil
			})
			assert.Equal(t, outside, tree(t, p.path(cage+"outside")))
			assert.Equal(t, given, tree(t, p.path(cage+"data")))
			assert.Equal(t, told, tree(t, runtime))
			assert.Equal(t, around, names(t, p.path(cage)))
			assert.Equal(t, []string{"1", "store"}, names(t, p.root))
			p.write(cage+"w/checked", "")

			session = h.RootEnded("probe", rig.Soon)
			require.Equal(t, "ok", session.GetStatus(), session.GetDetail())
			var tried attempts
			require.NoError(t, json.Unmarshal([]byte(h.Answer(session.GetRecordsDir())), &tried))
			assert.Empty(t, tried.Leaks)
			assert.Greater(t, tried.Calls, 100_000)
			assert.Positive(t, tried.Succeeded, "a guest that can do nothing proves nothing")
			refused := 0
			for _, e := range h.Trace(session.GetRecordsDir()) {
				if e["event_type"] == "access_refused" {
					refused++
				}
			}
			assert.Greater(t, refused, 20)
			assert.Less(t, refused, 200, "hundreds of thousands were refused")
		})
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// What is looked up while somebody swaps it for a link is either the folder or a refusal: names, lengths and contents of outside never
// appear, and nothing is made or removed there.
func TestAFolderThatIsSwappedForALinkShowsNothingOfOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	store := p.capsule("probe", probe, "limits: {deadline_seconds: 60}")
	layOut(p)
	p.write(cage+"w/swap/dir/file", "mine")
	p.link(cage+"w/other", "../outside")
	h := rig.Up(t, rig.Fleet{
		Store: []string{store}, Capsules: []rig.Root{{Name: "probe", Task: "swap", Workdir: p.path(cage + "w")}},
	})
	before := tree(t, p.path(cage+"outside"))
	p.write(cage+"w/start", "")
	until := time.NewTimer(1500 * time.Millisecond)
	defer until.Stop()
	swaps := 0
	for swapping := true; swapping; swaps++ {
		select {
		case <-until.C:
			swapping = false
		default:
			require.NoError(t, unix.Renameat2(unix.AT_FDCWD, p.path(cage+"w/swap"), unix.AT_FDCWD, p.path(cage+"w/other"), unix.RENAME_EXCHANGE))
		}
	}
	p.write(cage+"w/stop", "")
	session := h.RootEnded("probe", rig.Soon)
	require.Equal(t, "ok", session.GetStatus(), session.GetDetail())
	var tried attempts
	require.NoError(t, json.Unmarshal([]byte(h.Answer(session.GetRecordsDir())), &tried))
	assert.Empty(t, tried.Leaks)
	assert.Positive(t, tried.Succeeded)
	assert.Less(t, tried.Succeeded, tried.Calls)
	assert.Greater(t, swaps, 1000)
	assert.Equal(t, before, tree(t, p.path(cage+"outside")))
}
