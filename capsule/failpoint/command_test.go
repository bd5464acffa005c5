package failpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, capsule, want string }{
		"a command without a capsule is for everybody":       {"gated=kill", "counter", "gated=kill"},
		"a capsule's command loses the name":                 {"counter:gated=kill", "counter", "gated=kill"},
		"another capsule's command is left out":              {"counter:gated=kill", "parent", ""},
		"a colon in the action selects nobody":               {"gated=exit:3", "parent", "gated=exit:3"},
		"each command is looked at by itself":                {"a:gated=kill;b:posted=stop;exiting=exit", "b", "posted=stop;exiting=exit"},
		"a path in a pause keeps its colons and equal signs": {"b:gated=pause:/t/x=1:2", "b", "gated=pause:/t/x=1:2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, For(c.value, c.capsule))
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse("gated=kill;running=pause:/t/x;posted=exit;exiting=exit:7")
	require.NoError(t, err)
	assert.Equal(t, map[string]command{
		Gated: {"kill", ""}, Running: {"pause", "/t/x"}, Posted: {"exit", "1"}, Exiting: {"exit", "7"},
	}, got)
	for name, value := range map[string]string{
		"a word that is no command":     "gated",
		"a command without a point":     "=kill",
		"an action that does not exist": "gated=explode",
		"a pause without a path":        "gated=pause",
		"an exit code beyond a byte":    "gated=exit:256",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(value)
			assert.ErrorContains(t, err, value)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("gated=kill;running=pause:/t/x")
	f.Add(";;=;")
	f.Fuzz(func(t *testing.T, value string) {
		commands, err := parse(value)
		if err != nil {
			assert.Nil(t, commands)
			return
		}
		for point, c := range commands {
			assert.NotEmpty(t, point)
			assert.NotEmpty(t, c.action)
		}
	})
}
