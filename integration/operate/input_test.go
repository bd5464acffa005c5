package operate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// at is a folder that a command runs in, with a HOME of its own.
type at struct {
	dir string
	env []string
}

func place(t *testing.T) at {
	t.Helper()
	dir := rig.Dir(t)
	return at{dir, []string{"HOME=" + dir}}
}

func (a at) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(a.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (a at) run(t *testing.T, args ...string) rig.Said {
	t.Helper()
	return rig.Command(t, a.dir, a.env, args...)
}

// sentence checks that a refusal is on stderr alone and reads as text for people: no stack, no code of a library.
func sentence(t *testing.T, said rig.Said) {
	t.Helper()
	assert.NotEmpty(t, strings.TrimSpace(said.Stderr))
	for _, noise := range []string{"goroutine ", "rpc error", "panic", "%!", "Usage:"} {
		assert.NotContains(t, said.Stderr, noise)
	}
	assert.LessOrEqual(t, strings.Count(strings.TrimSpace(said.Stderr), "\n"), 6, said.Stderr)
}

const minimal = "version: 1\nstate_dir: ./state\n"

func TestAFleetThatIsWrongIsRefusedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	store := "store: [" + rig.Path(rig.Misbehave) + "]\n"
	for name, c := range map[string]struct {
		fleet string
		says  []string
	}{
		"broken syntax":              {"version: [1\n", []string{"fleet.yaml:"}},
		"no version":                 {"state_dir: ./state\n", []string{"version"}},
		"an unknown key":             {minimal + "colour: red\n", []string{"fleet.yaml:3:", "colour"}},
		"a key twice":                {minimal + "state_dir: ./other\n", []string{"fleet.yaml:3:", "state_dir"}},
		"two faults are both told":   {minimal + "colour: red\nsize: 3\n", []string{"colour", "size"}},
		"two capsules of one id":     {minimal + store + "capsules:\n- {id: a, name: nap, version: 0.1.0}\n- {id: a, name: trap, version: 0.1.0}\n", []string{"fleet.yaml:6:", `"a" is the id of capsules[0] already`}},
		"the version latest":         {minimal + store + "capsules:\n- {name: nap, version: latest}\n", []string{"fleet.yaml:5:", "latest"}},
		"a capsule of nobody":        {minimal + store + "capsules:\n- {name: nobody, version: 0.1.0}\n", []string{"nobody 0.1.0"}},
		"a version of nobody":        {minimal + store + "capsules:\n- {name: nap, version: 9.9.9}\n", []string{"nap 9.9.9"}},
		"no store":                   {minimal + "capsules:\n- {name: nap, version: 0.1.0}\n", []string{"store"}},
		"a store that is not there":  {minimal + "store: [./nowhere]\ncapsules:\n- {name: nap, version: 0.1.0}\n", []string{"nap 0.1.0"}},
		"a negative limit":           {minimal + "limits: {max_children: -1}\n", []string{"fleet.yaml:3:", "max_children"}},
		"a limit beyond all numbers": {minimal + "limits: {max_children: 99999999999999999999}\n", []string{"fleet.yaml:3:", "max_children"}},
		"a length of time of nobody": {minimal + "orphan_timeout: soon\n", []string{"fleet.yaml:3:", "orphan_timeout"}},
		"restarts without an end":    {minimal + store + "capsules:\n- {name: nap, version: 0.1.0, restart: {policy: always, window: 3s}}\n", []string{"fleet.yaml:5:", "restart.window"}},
		"what is not built":          {minimal + "http: {listen: \"127.0.0.1:0\"}\n", []string{"fleet.yaml:3:", "http.listen", "not built yet"}},
		"a variable of the host":     {minimal + store + "capsules:\n- {name: nap, version: 0.1.0, env: {MURMUR_SPAWNER: x}}\n", []string{"MURMUR_SPAWNER"}},
		"an alias that explodes": {minimal + "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n", []string{"fleet.yaml"}},
		"not text": {"\xff\xfe\x00", []string{"fleet.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := place(t)
			a.write(t, "fleet.yaml", c.fleet)
			said := a.run(t, "up", "--once")
			assert.Equal(t, 2, said.Code, said.Stderr)
			assert.Empty(t, said.Stdout)
			sentence(t, said)
			for _, text := range c.says {
				assert.Contains(t, said.Stderr, text)
			}
			assert.NoDirExists(t, filepath.Join(a.dir, "state"), "nothing half-started stays")
			said = a.run(t, "validate")
			assert.Equal(t, 1, said.Code, said.Stderr)
			for _, text := range c.says {
				assert.Contains(t, said.Stdout, text)
			}
			assert.NoDirExists(t, filepath.Join(a.dir, "state"), "validate makes nothing")
		})
	}
}

func TestAFleetThatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	a := place(t)
	for _, args := range [][]string{{"up"}, {"validate"}, {"up", "-f", "other.yaml"}, {"ps", "-f", "other.yaml"}} {
		said := a.run(t, args...)
		assert.Equal(t, 2, said.Code, args)
		assert.Contains(t, said.Stderr, ".yaml")
		sentence(t, said)
	}
	entries, err := os.ReadDir(a.dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestCommandsThatAreWrongAreRefused(t *testing.T) {
	t.Parallel()
	a := place(t)
	a.write(t, "fleet.yaml", minimal)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"an unknown command":           {[]string{"fly"}, 2, "fly"},
		"an unknown flag":              {[]string{"ps", "--fast"}, 2, "--fast"},
		"a kill of nothing":            {[]string{"kill"}, 2, "kill"},
		"a kill of two":                {[]string{"kill", "aaaa", "bbbb"}, 2, "kill"},
		"an argument too many":         {[]string{"ps", "all"}, 2, "ps"},
		"an unknown form":              {[]string{"ps", "-o", "xml"}, 2, "xml"},
		"an unknown state":             {[]string{"delegations", "--only", "dead"}, 2, "dead"},
		"a negative grace":             {[]string{"kill", "abcd", "--grace", "-1s"}, 2, "--grace"},
		"a length that is none":        {[]string{"up", "--stop-timeout", "long"}, 2, "--stop-timeout"},
		"a negative time to stop":      {[]string{"up", "--stop-timeout", "-1s"}, 2, "--stop-timeout"},
		"what is not built: keep":      {[]string{"up", "--on-exit", "keep"}, 2, "--on-exit keep is not built"},
		"what is not built: replace":   {[]string{"up", "--replace"}, 2, "--replace is not built"},
		"what is not built: a command": {[]string{"effects"}, 2, "not built"},
		"an operator by plain TCP":     {[]string{"ps", "--operator", "tcp://127.0.0.1:1"}, 2, "tcp://127.0.0.1:1"},
		"a worker that is not there":   {[]string{"up", "--worker", "./nothing"}, 2, "nothing"},
		"a worker that is no program":  {[]string{"up", "--worker", "./fleet.yaml"}, 2, "not an executable"},
		"nobody there: ps":             {[]string{"ps"}, 3, "no supervisor answers"},
		"nobody there: delegations":    {[]string{"delegations"}, 3, "no supervisor answers"},
		"nobody there: tree":           {[]string{"tree"}, 3, "no supervisor answers"},
		"nobody there: kill":           {[]string{"kill", "abcd"}, 3, "no supervisor answers"},
		"nobody there: a socket":       {[]string{"ps", "--operator", "./none.sock"}, 3, "no supervisor answers"},
		"nobody there: not a socket":   {[]string{"ps", "--operator", "./fleet.yaml"}, 3, "no supervisor answers"},
		"nothing to compile":           {[]string{"compile", "./nowhere"}, 2, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := a.run(t, c.args...)
			assert.Equal(t, c.code, said.Code, said.Stderr)
			assert.Empty(t, said.Stdout)
			assert.Contains(t, said.Stderr, c.says)
			sentence(t, said)
		})
	}
}

func TestAStateFolderThatWillNotDoIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string // what is there before, beneath the folder of the test
		state      string // the state folder, beneath it too
		says       string
	}{
		"too long for a socket": {"", "", strings.Repeat("x", 80), "at most 75 leave room for the sockets"},
		"somebody else's":       {"theirs/letter.txt", "dear", "theirs", `holds "letter.txt"`},
		"a file":                {"file", "", "file", "file"},
		"of another format":     {"newer/rookery.state", "rookery state 2\n", "newer", "this build reads only"},
		"beneath a file":        {"file", "", "file/state", "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := place(t)
			a.write(t, "fleet.yaml", minimal)
			if c.file != "" {
				a.write(t, c.file, c.text)
			}
			state := filepath.Join(a.dir, c.state)
			before := listing(t, a.dir)
			said := a.run(t, "up", "--once", "--state", state)
			assert.Equal(t, 2, said.Code, said.Stderr)
			assert.Contains(t, said.Stderr, c.says)
			sentence(t, said)
			assert.Equal(t, before, listing(t, a.dir), "nothing was made and nothing touched")
		})
	}
}

// listing is every path beneath a folder.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	}))
	return all
}

func TestAFleetWithoutCapsulesComesUpAndEnds(t *testing.T) {
	t.Parallel()
	a := place(t)
	a.write(t, "fleet.yaml", minimal)
	said := a.run(t, "up", "--once")
	assert.Equal(t, 0, said.Code, said.Stderr)
	assert.Empty(t, said.Stdout)
	said = a.run(t, "validate")
	assert.Equal(t, 0, said.Code)
	assert.Equal(t, "fleet.yaml: no faults\n", said.Stdout)
}
