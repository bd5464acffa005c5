package compose_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"rookery/capsule/handle"
	"rookery/launcher/compose"
)

// told are the values that every guest of these tests gets.
var told = compose.Guest{SessionID: "ses_1", Capsule: "counter", Version: "0.1.0", URL: "http://127.0.0.1:9", TaskID: "tsk_1", ContextID: "ctx_1"}

// own is what the runtime adds for it.
var own = []string{
	"MURMUR_SESSION_ID=ses_1", "MURMUR_CAPSULE_NAME=counter", "MURMUR_CAPSULE_VERSION=0.1.0",
	"MURMUR_CAPSULE_URL=http://127.0.0.1:9", "MURMUR_TASK_ID=tsk_1", "MURMUR_CONTEXT_ID=ctx_1",
}

func TestAGuestSeesWhatIsAllowedAndGivenAndTheRuntimesOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		allow  []string
		values map[string]string
		lets   []string
	}{
		{name: "nothing allowed", values: map[string]string{"REGION": "eu"}},
		{name: "nothing given", allow: []string{"REGION"}},
		{name: "in the order of the manifest", allow: []string{"B", "A"}, values: map[string]string{"A": "1", "B": "2", "C": "3"}, lets: []string{"B=2", "A=1"}},
		{name: "each once", allow: []string{"A", "A"}, values: map[string]string{"A": "1"}, lets: []string{"A=1"}},
		{name: "an empty value is a value", allow: []string{"A"}, values: map[string]string{"A": ""}, lets: []string{"A="}},
		{
			name:  "no name of the runtime's",
			allow: []string{"MURMUR_SPAWNER", "MURMUR_SESSION_ID", "MURMUR_LATER", "PATH", "HOME", "MURMURATION"},
			values: map[string]string{
				"MURMUR_SPAWNER": "x", "MURMUR_SESSION_ID": "x", "MURMUR_LATER": "x", "PATH": "x", "HOME": "x", "MURMURATION": "starlings",
			},
			lets: []string{"MURMURATION=starlings"},
		},
		{
			name:   "nothing that would be read as something else",
			allow:  []string{"", "A=B", "N\x00", "V", "W"},
			values: map[string]string{"": "x", "A=B": "x", "N\x00": "x", "V": "x\x00MURMUR_TASK_ID=y", "W": "a=b"},
			lets:   []string{"W=a=b"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			guest := told
			guest.Allow, guest.Values = test.allow, test.values
			assert.Equal(t, append(test.lets, own...), compose.GuestEnv(guest))
		})
	}
}

func TestTheSpawnerComesLast(t *testing.T) {
	t.Parallel()
	guest := told
	guest.Spawner = &handle.Spawner{SessionID: "ses_0", ContextID: "ctx_0", DelegationID: "dlg_0", URL: "http://127.0.0.1:8"}
	env := compose.GuestEnv(guest)
	assert.Equal(t, own, env[:len(own)])
	assert.Equal(t, []string{"MURMUR_SPAWNER=" + guest.Spawner.EnvValue()}, env[len(own):])
}

func TestAllowedCanBeLeftEarly(t *testing.T) {
	t.Parallel()
	var names []string
	for name := range compose.Allowed([]string{"A", "B"}, map[string]string{"A": "", "B": ""}) {
		names = append(names, name)
		break
	}
	assert.Equal(t, []string{"A"}, names)
}

func TestAWorkersEnvironmentIsThisAndNothingElse(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{
		"ROOKERY_WORKER=launched",
		"PLUGIN_MIN_PORT=10000",
		"PLUGIN_MAX_PORT=25000",
		"PLUGIN_PROTOCOL_VERSIONS=1",
		"PLUGIN_UNIX_SOCKET_DIR=/state/run/w/0badcafe",
		"GODEBUG=containermaxprocs=0,updatemaxprocs=0",
		"GOMAXPROCS=2",
		"GOTRACEBACK=single",
	}, compose.WorkerEnv("/state/run/w/0badcafe"))
	assert.NotContains(t, strings.Join(compose.RuntimeEnv(), " "), "PLUGIN_")
}
