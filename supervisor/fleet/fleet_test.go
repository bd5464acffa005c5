package fleet_test

import (
	"flag"
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

	"rookery/capsule/strictyaml"
	"rookery/supervisor/fleet"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"unbuilt", "wrong", "bare", "bomb", "syntax"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, warnings, err := fleet.Load(filepath.Join("testdata", name+".yaml"), fleet.Options{})
			var faults strictyaml.Faults
			require.ErrorAs(t, err, &faults)
			got := err.Error() + "\n"
			for _, warning := range warnings {
				got += "warning: " + warning.Error() + "\n"
			}
			golden := filepath.Join("testdata", name+".faults")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func TestAFileWithEveryKeyIsReadAsItStands(t *testing.T) {
	t.Parallel()
	got, warnings, err := fleet.Load("testdata/everything.yaml", fleet.Options{Once: true})
	require.NoError(t, err)
	here, err := filepath.Abs("testdata")
	require.NoError(t, err)
	assert.Equal(t, &fleet.Fleet{
		File:        filepath.Join(here, "everything.yaml"),
		StateDir:    filepath.Join(here, "state"),
		Store:       []string{filepath.Join(here, "capsules"), "/srv/capsules"},
		Containment: "advisory",
		Limits: fleet.Limits{
			MaxDepth: 2, MaxChildren: 3, MaxLiveCapsules: 40, MaxSpawnsPerRoot: 50,
			SpawnRate: fleet.Rate{Count: 6, Per: time.Second}, SpawnBurst: 7,
		},
		OrphanTimeout: 90 * time.Second,
		Retention:     fleet.Retention{Age: 72 * time.Hour, MaxBytes: 2 << 30},
		Roots: []fleet.Root{
			{
				ID: "orchestrator", Name: "census", Version: "0.1.0", HasTask: true, Task: "count",
				Workdir: filepath.Join(here, "work"), Env: map[string]string{"REGION": "eu"},
				Restart: fleet.Restart{When: fleet.OnFailure, Max: 4, Window: 20 * time.Second, Backoff: 200 * time.Millisecond, BackoffMax: 10 * time.Second},
			},
			{ID: "counter", Name: "counter", Version: "1.2.3-rc.1", HasTask: true, Restart: never},
			{ID: "counter-3", Name: "counter", Version: "1.2.4", Restart: never},
			{ID: "counter-2", Name: "counter", Version: "1.2.4", Restart: never},
			{ID: "counter-4", Name: "counter", Version: "1.2.4", Restart: never},
		},
		Mounts: []fleet.Mount{
			{Host: here, Guest: "data", ReadOnly: true, Capsules: []string{"census"}},
			{Host: "/", Guest: "more", Capsules: []string{"counter", "census"}},
		},
	}, got)
	assert.Empty(t, warnings)
}

// never is the policy of a root that names none.
var never = fleet.Restart{When: fleet.Never, Max: 5, Window: 10 * time.Second, Backoff: 100 * time.Millisecond, BackoffMax: 30 * time.Second}

func TestLimitsOfAPolicyThatNeverRestartsAreWarnedOf(t *testing.T) {
	t.Parallel()
	const text = "version: 1\nstore: [s]\ncapsules: [{name: a, version: 1.0.0, restart: {max: 5, window: 10s, backoff: 100ms, backoff_max: 30s}}]\n"
	got, warnings, err := fleet.Parse("f.yaml", []byte(text), fleet.Options{})
	require.NoError(t, err)
	assert.Equal(t, never, got.Roots[0].Restart)
	require.Len(t, warnings, 4)
	for _, warning := range warnings {
		assert.Equal(t, fleet.CodeNoEffect, warning.Code)
		assert.Contains(t, warning.Field, "capsules[0].restart.")
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	got, warnings, err := fleet.Load("testdata/smallest.yaml", fleet.Options{})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Empty(t, got.StateDir)
	assert.Empty(t, got.Roots)
	assert.Equal(t, "auto", got.Containment)
	assert.Equal(t, 10*time.Minute, got.OrphanTimeout)
	assert.Equal(t, fleet.DefaultRetention, got.Retention)
	limits := got.Limits
	assert.Equal(t, min(max(8*fleet.Cores(), 16), 256), limits.MaxLiveCapsules)
	limits.MaxLiveCapsules = 0
	assert.Equal(t, fleet.Limits{
		MaxDepth: 3, MaxChildren: 4, MaxSpawnsPerRoot: 256,
		SpawnRate: fleet.Rate{Count: 120, Per: time.Minute}, SpawnBurst: 30,
	}, limits)
	assert.InDelta(t, 120, limits.SpawnRate.PerMinute(), 0)
	assert.InDelta(t, 360, fleet.Rate{Count: 6, Per: time.Second}.PerMinute(), 0)
}

func TestOnceNeedsAFleetThatEnds(t *testing.T) {
	t.Parallel()
	const text = "version: 1\nstore: [s]\ncapsules: [{name: a, version: 1.0.0, restart: {policy: always}}]\n"
	_, _, err := fleet.Parse("f.yaml", []byte(text), fleet.Options{Once: true})
	require.EqualError(t, err, "f.yaml:3:56: capsules[0].restart.policy: always never ends, and --once waits for the end (bad_value)")
	got, _, err := fleet.Parse("f.yaml", []byte(text), fleet.Options{})
	require.NoError(t, err)
	assert.Equal(t, fleet.Always, got.Roots[0].Restart.When)
}

func TestACapsuleSeesSoManyMountedFoldersAndNoMore(t *testing.T) {
	t.Parallel()
	text := "version: 1\nmounts:\n"
	for i := range 17 {
		text += fmt.Sprintf("- {host: ., guest: m%d, capsules: [a]}\n", i)
	}
	_, _, err := fleet.Parse("f.yaml", []byte(text), fleet.Options{})
	require.EqualError(t, err, "f.yaml:19:36: mounts[16].capsules[0]: a would see more than 16 folders (bad_value)")
}

func TestATaskComesFromItsFile(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	write("most", strings.Repeat("x", fleet.MaxTask))
	write("more", strings.Repeat("x", fleet.MaxTask+1))
	write("binary", "\xff\xfe")
	write("empty", "")
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for name, says := range map[string]string{
		"most": "", "empty": "", "more": "more than 1048576 bytes", "binary": "not UTF-8",
		"pipe": "not a regular file", ".": "not a regular file", "none": "no such file",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "version: 1\nstore: [s]\ncapsules: [{name: a, version: 1.0.0, task_file: " + name + "}]\n"
			got, _, err := fleet.Parse(filepath.Join(dir, "fleet.yaml"), []byte(text), fleet.Options{})
			if says != "" {
				require.ErrorContains(t, err, says)
				assert.ErrorContains(t, err, "capsules[0].task_file")
				return
			}
			require.NoError(t, err)
			want, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			assert.True(t, got.Roots[0].HasTask)
			assert.Equal(t, string(want), got.Roots[0].Task)
		})
	}
}

func TestAFileThatCannotBeReadIsAnErrorOfItsOwn(t *testing.T) {
	t.Parallel()
	_, _, err := fleet.Load("testdata/none.yaml", fleet.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = fleet.Load("testdata", fleet.Options{})
	require.ErrorContains(t, err, "not a regular file")
}

func TestRatesAndCountsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]fleet.Rate{
		"1/h": {Count: 1, Per: time.Hour}, "1000000/s": {Count: 1_000_000, Per: time.Second},
		"": {}, "/m": {}, "0/m": {}, "-1/m": {}, "1/": {}, "1": {}, "1/d": {}, "1/m/m": {}, "1.5/m": {}, "+1/m": {},
		"1000001/m": {}, "99999999999999999999/m": {}, " 1/m": {},
	} {
		var got fleet.Rate
		err := got.UnmarshalText([]byte(text))
		assert.Equal(t, want, got, text)
		assert.Equal(t, want == fleet.Rate{}, err != nil, text)
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := fleet.Parse("fleet.yaml", data, fleet.Options{})
		if err != nil {
			var faults strictyaml.Faults
			require.ErrorAs(t, err, &faults)
			require.NotEmpty(t, faults)
			return
		}
		ids := map[string]bool{}
		for _, root := range got.Roots {
			require.False(t, ids[root.ID])
			require.NotEmpty(t, root.ID)
			require.NotEmpty(t, root.Version)
			ids[root.ID] = true
			require.LessOrEqual(t, len(root.Task), fleet.MaxTask)
		}
		require.Positive(t, got.OrphanTimeout)
		require.Positive(t, got.Limits.MaxLiveCapsules)
	})
}
