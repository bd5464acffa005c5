package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

func TestAWorkerStartedByHandSaysSoInOneSentence(t *testing.T) {
	t.Parallel()
	cmd := program()
	// Another value than the launcher's: the test program must still become a worker.
	cmd.Env = []string{plugin.Handshake.MagicCookieKey + "=hand"}
	code, stdout, stderr := once(t, cmd)
	assert.Equal(t, plugin.ExitByHand, code)
	assert.Empty(t, stdout)
	assert.Equal(t, 1, strings.Count(stderr, "\n"))
	assert.Contains(t, stderr, "supervisor up")
}

func TestAWorkerWhoseGateNeverOpensRunsNothing(t *testing.T) {
	t.Parallel()
	r := start(t, say)
	require.NoError(t, r.gate.Close())
	assert.Equal(t, plugin.ExitGateClosed, r.code())
	assert.Empty(t, r.drain())
	entries, err := os.ReadDir(filepath.Join(r.root, "run"))
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestAWorkersWholeLife(t *testing.T) {
	t.Parallel()
	r := start(t, say)
	hello := r.greet()
	assert.Equal(t, r.pidOf(), strconv.Itoa(int(hello.GetPid())))
	assert.Equal(t, sandbox.EngineKey(), hello.GetEngineKey())
	assert.Equal(t, "advisory", hello.GetContainment())
	assert.EqualValues(t, plugin.Protocol, hello.GetProtocol())
	assert.Empty(t, r.drain(), "nothing but the handshake is said on the pipe")
	_, err := r.client.Hello(r.ctx(), &workerv1.HelloRequest{Protocol: plugin.Protocol})
	require.NoError(t, err, "a hello may be repeated")
	r.assign(r.assignment())
	assert.Equal(t, plugin.ExitDone, r.code())
	assert.Contains(t, r.read("records/"+outcome.EndFile), `"status": "ok"`)
	assert.Equal(t, "on\n", r.read("guest.stdout"))
	assert.Equal(t, "on\n", r.read("records/out/result.txt"))
	assert.Empty(t, r.read("guest.stderr"))
}

func TestAnotherProtocolIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, say)
	r.open()
	_, err := r.client.Hello(r.ctx(), &workerv1.HelloRequest{Protocol: plugin.Protocol + 1})
	assert.Equal(t, codes.FailedPrecondition, status.Code(err))
}

func TestOneSessionAWorker(t *testing.T) {
	t.Parallel()
	r := start(t, spin)
	r.greet()
	bad := r.assignment()
	bad.Session.SessionId = "../x"
	_, err := r.client.Assign(r.ctx(), bad)
	assert.Equal(t, codes.InvalidArgument, status.Code(err))
	first := r.assignment()
	first.Limits.DeadlineMs = 3000 // it lives while others are refused
	r.assign(first)
	r.assign(first)
	_, err = r.client.Assign(r.ctx(), r.assignment())
	assert.Equal(t, codes.FailedPrecondition, status.Code(err))
	assert.Equal(t, plugin.ExitDone, r.code())
	assert.Contains(t, r.read("records/"+outcome.EndFile), `"detail": "deadline 3s"`)
}

func TestAStrangerIsNotObeyed(t *testing.T) {
	t.Parallel()
	r := start(t, say)
	path := r.open()
	code, said, _ := once(t, strangerTo(path))
	assert.Equal(t, 3, code, said)
	_, err := r.client.Hello(r.ctx(), &workerv1.HelloRequest{Protocol: plugin.Protocol})
	require.NoError(t, err, "the supervisor still is")
	assert.Contains(t, r.read("worker.log"), "a plugin connection is refused")
	// With nobody at host.sock nobody is the supervisor.
	r.host.Stop()
	client, conn, err := reach(path)
	require.NoError(t, err)
	defer conn.Close()
	_, err = client.Hello(r.ctx(), &workerv1.HelloRequest{Protocol: plugin.Protocol})
	assert.Equal(t, codes.Unavailable, status.Code(err))
}

func TestEndsOnDemand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body          string
		code          int
		atLeast, most time.Duration
	}{
		"a guest that computes is trapped":                 {spin, plugin.ExitEnded, 500 * time.Millisecond, patience},
		"a guest in a bulk operation goes with its worker": {bulk(), plugin.ExitWatchdog, 700 * time.Millisecond, patience},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, c.body)
			r.greet()
			r.assign(r.assignment())
			r.cried()
			before := time.Now()
			_, err := r.client.End(r.ctx(), &workerv1.EndRequest{Cause: workerv1.EndCause_END_CAUSE_OPERATOR, Detail: "enough"})
			require.NoError(t, err)
			assert.Equal(t, c.code, r.code())
			assert.GreaterOrEqual(t, time.Since(before), c.atLeast)
			assert.NoFileExists(t, filepath.Join(r.root, "records", outcome.EndFile))
		})
	}
}

func TestAGuestInABulkOperationLeavesItsRecordWhenItsDeadlinePasses(t *testing.T) {
	t.Parallel()
	r := start(t, bulk())
	r.greet()
	a := r.assignment()
	a.Limits.DeadlineMs = 500
	r.assign(a)
	assert.Equal(t, plugin.ExitWatchdog, r.code())
	assert.Contains(t, r.read("records/"+outcome.EndFile), `"detail": "deadline 500ms"`)
}

func TestAWorkerWithoutASessionEndsOnDemand(t *testing.T) {
	t.Parallel()
	r := start(t, say)
	r.greet()
	_, err := r.client.End(r.ctx(), &workerv1.EndRequest{})
	require.NoError(t, err)
	assert.Equal(t, plugin.ExitEnded, r.code())
}

func TestAShutdownOfThePluginIsAnEnd(t *testing.T) {
	t.Parallel()
	r := start(t, spin)
	r.greet()
	r.assign(r.assignment())
	r.cried()
	// go-plugin's own call; the answer may or may not come.
	_ = r.conn.Invoke(r.ctx(), "/plugin.GRPCController/Shutdown", &emptypb.Empty{}, &emptypb.Empty{})
	assert.Equal(t, plugin.ExitEnded, r.code())
	assert.NoFileExists(t, filepath.Join(r.root, "records", outcome.EndFile))
}

func TestAWorkerOutlivesItsSupervisorAndEndsItself(t *testing.T) {
	t.Parallel()
	r := start(t, spin)
	r.greet()
	a := r.assignment()
	a.Session.Depth = 3
	a.Limits.OrphanTimeoutMs = 200
	r.assign(a)
	r.cried()
	r.host.Stop()
	require.NoError(t, r.conn.Close())
	assert.Equal(t, plugin.ExitDone, r.code())
	assert.Contains(t, r.read("records/"+outcome.EndFile), `"detail": "no supervisor for 200ms"`)
}

func TestCompileTurnsAModuleIntoNativeCode(t *testing.T) {
	t.Parallel()
	module, err := wat.ToWasm(`(module (memory (export "memory") 1) (func (export "_start")))`)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		wasm []byte
		code int
		said string
	}{
		"a module":        {module, 0, ""},
		"what is no wasm": {[]byte("text"), 1, "worker: compile: "},
		"nothing":         {nil, 1, "worker: compile: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rig{t: t, root: t.TempDir()}
			require.NoError(t, os.WriteFile(filepath.Join(r.root, "in"), c.wasm, 0o600))
			cmd := program("compile")
			in, out := r.folder("in"), r.file("out")
			defer in.Close()
			defer out.Close()
			cmd.ExtraFiles = []*os.File{in, out}
			code, _, stderr := once(t, cmd)
			assert.Equal(t, c.code, code)
			assert.True(t, strings.HasPrefix(stderr, c.said), stderr)
			assert.LessOrEqual(t, strings.Count(stderr, "\n"), 1)
			if c.code != 0 {
				assert.Empty(t, r.read("out"))
				return
			}
			loaded, err := sandbox.Load(int(r.folder("out").Fd()))
			require.NoError(t, err)
			loaded.Close()
		})
	}
}

func TestEngineKeyPrintsTheKeyAndTheBuild(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := once(t, program("engine-key"))
	assert.Zero(t, code)
	assert.Equal(t, sandbox.EngineKey()+"\n"+build()+"\n", stdout)
	assert.Empty(t, stderr)
}

func TestAModeThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve"}, {"compile", "x"}} {
		code, _, stderr := once(t, program(args...))
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, "no mode")
	}
}
