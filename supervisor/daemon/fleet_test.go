package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/supervisor/fleet"
)

func TestAMountThatOverlapsTheStateFolderIsRefused(t *testing.T) {
	t.Parallel()
	top := folder(t)
	state := filepath.Join(top, "state")
	for _, path := range []string{"state/records", "data", "state-of-mind"} {
		require.NoError(t, os.MkdirAll(filepath.Join(top, path), 0o700))
	}
	require.NoError(t, os.Symlink("state/records", filepath.Join(top, "alias")))
	for host, refused := range map[string]bool{
		".": true, "state": true, "state/records": true, "alias": true, "data": false, "state-of-mind": false, "gone": true,
	} {
		mounts, err := mountsOf(&fleet.Fleet{File: "f.yaml", Mounts: []fleet.Mount{{
			Host: filepath.Join(top, host), Guest: "g", ReadOnly: true, Capsules: []string{"c"},
		}}}, state)
		if refused {
			require.ErrorContains(t, err, "f.yaml: mount g: ", host)
			continue
		}
		require.NoError(t, err, host)
		require.Len(t, mounts, 1)
		require.Equal(t, filepath.Join(top, host), mounts[0].Host)
		require.True(t, mounts[0].ReadOnly)
	}
}
