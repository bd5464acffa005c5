package sandbox_test

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/integration/rig"
)

const (
	// late is how far behind its deadline a session may be over.
	late = time.Second
	// doorEvery is how often the door is asked.
	doorEvery = 50 * time.Millisecond
	// doorSlow is longer than a door takes that answers at all, on a busy machine.
	doorSlow = 500 * time.Millisecond
	// leaving is how long before its end a worker's door may be shut: it writes its records then.
	leaving = 300 * time.Millisecond
)

// hostile are guests that would stay, or take all there is.
var hostile = []struct {
	name, module, task string
	deadline           time.Duration
	capabilities       string
	status, detail     string // detail is a pattern for the whole
}{
	{"sleeps for an hour", probe, "sleep", 2 * time.Second, "", "error", `deadline 2s`},
	{"reads a FIFO that nobody writes", probe, "fifo", 2 * time.Second, "", "error", `deadline 2s`},
	{"polls a FIFO and a clock", probe, "poll", 2 * time.Second, "", "error", `deadline 2s`},
	{"spins", rig.Misbehave + "/spin", "", 2 * time.Second, "", "error", `deadline 2s`},
	{"recurses", rig.Misbehave + "/recurse", "", 10 * time.Second, "", "error", `trap: call stack exhausted`},
	{"fills memory in bulk", rig.Misbehave + "/bulk", "", 2 * time.Second, "", "error", `deadline 2s`},
	{"allocates", rig.Misbehave + "/memhog", "", 20 * time.Second, "", "error", `trap: unreachable \(memory 51[12]Mi of 512Mi\)`},
	{"asks for a first memory over its limit", rig.Misbehave + "/bulk", "", 10 * time.Second, ", memory_bytes: 1Mi", "error",
		`cannot start the module: memory minimum size of 4096 pages exceeds memory limits`},
	{"asks for a first table over its limit", probe, "sleep", 10 * time.Second, ", table_elements: 1", "error",
		`cannot start the module: table minimum size of \d+ elements exceeds table limits`},
	{"floods both outputs with a gibibyte", probe, "flood", 30 * time.Second, "", "ok", ``},
	{"opens a million files", probe, "open", 20 * time.Second, "", "ok", ``},
	{"makes a million files", probe, "files", 2 * time.Second, "", "error", `deadline 2s`},
	{"fills its folder", probe, "fill", 20 * time.Second, "", "ok", ``},
}

// What a work folder of these tests may hold.
const (
	maxBytes = 1 << 20
	maxNames = 1000
)

//nolint:paralleltest // it measures time
func TestWhateverAGuestDoesItEndsInTimeWithItsCauseAndItsDoorAnswers(t *testing.T) {
	rig.Heavy(t)
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			store := p.capsule("guest", c.module, "limits: {deadline_seconds: "+c.deadline.String()[:len(c.deadline.String())-1]+c.capabilities+
				"}, resources: {workdir_max_bytes: 1Mi, workdir_max_files: 1000}")
			p.write("w/file", "mine")
			require.NoError(t, unix.Mkfifo(p.path("w/pipe"), 0o600))
			h := rig.Up(t, rig.Fleet{
				Store: []string{store}, Capsules: []rig.Root{{Name: "guest", Task: c.task, Workdir: p.path("w")}},
			})
			url := ""
			rig.Until(t, rig.Soon, "the session has a door", func() bool {
				url = h.RootSession("guest").GetUrl()
				return url != ""
			})
			asked := ask(t, url)
			ended := h.RootEnded("guest", c.deadline+rig.Soon)
			over := ended.GetEndedAt().AsTime()
			answers := asked()

			assert.Equal(t, c.status, ended.GetStatus())
			assert.Regexp(t, `^(?:`+c.detail+`)$`, ended.GetDetail())
			begun := time.UnixMilli(int64(h.Trace(ended.GetRecordsDir())[0]["timestamp"].(float64)))
			assert.LessOrEqual(t, over.Sub(begun), c.deadline+late)
			for _, a := range answers {
				if a.asked.Before(over.Add(-leaving)) && a.asked.After(begun) {
					assert.NoError(t, a.err, "%s after the beginning", a.asked.Sub(begun))
					assert.Less(t, a.took, doorSlow, "%s after the beginning", a.asked.Sub(begun))
				}
			}
			bytes, names := onDisk(t, p.path("w"))
			assert.LessOrEqual(t, bytes, int64(maxBytes))
			assert.LessOrEqual(t, names, maxNames)
			logs, _ := onDisk(t, filepath.Join(ended.GetRecordsDir(), "logs"))
			assert.LessOrEqual(t, logs, int64(3*16<<20))
			t.Logf("%s after %s, %d answers of the door, %d bytes and %d names", ended.GetDetail(), over.Sub(begun), len(answers), bytes, names)
		})
	}
}

// answer is one of the door's.
type answer struct {
	asked time.Time
	took  time.Duration
	err   error
}

// ask asks the door for its card, again and again until the function it returns is called.
func ask(t *testing.T, url string) (stop func() []answer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var answers []answer
	var asking sync.WaitGroup
	asking.Go(func() {
		tick := time.NewTicker(doorEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				begun := time.Now()
				err := card(ctx, url)
				answers = append(answers, answer{begun, time.Since(begun), err})
			}
		}
	})
	stop = func() []answer {
		cancel()
		asking.Wait()
		return answers
	}
	t.Cleanup(func() { stop() })
	return stop
}

func card(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/.well-known/agent-card.json", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return http.ErrNotSupported
	}
	return nil
}

// onDisk counts what a folder holds.
func onDisk(t *testing.T, root string) (bytes int64, names int) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		names++
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	}))
	return bytes, names
}
