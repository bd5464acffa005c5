package launcher_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/launcher"
	"rookery/launcher/proc"
)

// doomedState makes the test program a supervisor on that state folder, which starts a worker and dies before it has opened the
// gate.
const doomedState = "RK_DOOMED_STATE"

func doomedSupervisor() {
	fail := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	program, err := os.Executable()
	fail(err)
	l, err := launcher.New(launcher.Config{WorkerPath: program, State: layout.State{Root: os.Getenv(doomedState)}, Log: zerolog.Nop()})
	fail(err)
	native, err := os.Open("/dev/null")
	fail(err)
	prepared, err := l.Prepare(context.Background(), launcher.Spec{SessionID: id.Session.New(), Capsule: "census", Native: native})
	fail(err)
	w, err := prepared.Exec(context.Background())
	fail(err)
	fail(json.NewEncoder(os.Stdout).Encode(w.Identity()))
	fail(syscall.Kill(os.Getpid(), syscall.SIGKILL))
}

func TestAWorkerWhoseSupervisorDiesBeforeTheGateOpensLeaves(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	supervisor := exec.Command("/proc/self/exe")
	supervisor.Env = []string{doomedState + "=" + h.state.Root}
	out, err := supervisor.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, supervisor.Start())
	text, err := io.ReadAll(out)
	require.NoError(t, err)
	require.EqualError(t, supervisor.Wait(), "signal: killed")
	var left proc.Identity
	require.NoError(t, json.Unmarshal(text, &left))

	assert.True(t, isGone(t, left.PID))
	_, err = proc.Verify(left)
	require.ErrorIs(t, err, proc.ErrGone)
	session := entries(t, h.state.Root, "records/census")
	require.Len(t, session, 1)
	log, err := os.ReadFile(h.state.Records("census", session[0]) + "/" + layout.WorkerLog)
	require.NoError(t, err)
	assert.Equal(t, "at the gate\nthe gate was closed\n", string(log))
}
