package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"rookery/capsule/id"
	"rookery/capsule/peercred"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/internal/hosttest"
	"rookery/worker/sandbox"
	"rookery/worker/sandbox/wat"
)

// patience bounds every wait of these tests; none needs it.
const patience = 20 * time.Second

// strangerEnv makes the test program another process that calls a worker's socket.
const strangerEnv = "ROOKERY_TEST_STRANGER"

// TestMain lets this test program be the worker: it is started again with the cookie.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(plugin.Handshake.MagicCookieKey) != "":
		main()
	case os.Getenv(strangerEnv) != "":
		stranger(os.Getenv(strangerEnv))
	}
	os.Exit(m.Run())
}

// stranger says hello to the worker at path and reports by its exit code.
func stranger(path string) {
	client, conn, err := reach(path)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err = client.Hello(ctx, &workerv1.HelloRequest{Protocol: plugin.Protocol})
		conn.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
		os.Exit(3)
	}
	os.Exit(0)
}

func reach(path string) (workerv1.WorkerServiceClient, *grpc.ClientConn, error) {
	anybody := func(int, uint32) error { return nil }
	conn, err := grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(peercred.Client(anybody)))
	if err != nil {
		return nil, nil, err
	}
	return workerv1.NewWorkerServiceClient(conn), conn, nil
}

// rig is a started worker. This process is its supervisor.
type rig struct {
	t      *testing.T
	root   string
	host   *hosttest.Host
	gate   *os.File
	stdout *bufio.Reader
	pipe   *os.File
	ended  chan struct{} // closed when the process has been waited for
	cmd    *exec.Cmd
	url    string
	client workerv1.WorkerServiceClient
	conn   *grpc.ClientConn
}

// program is this test program, to be started as a worker with an environment made
// from nothing.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = []string{plugin.Handshake.MagicCookieKey + "=" + plugin.Handshake.MagicCookieValue}
	return cmd
}

// start starts a worker for the module that body is the _start of. Its gate is closed.
func start(t *testing.T, body string) *rig {
	t.Helper()
	root, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(root)) })
	r := &rig{t: t, root: root, host: hosttest.Start(t, hosttest.Answers{}), ended: make(chan struct{})}
	for _, name := range []string{"work", "runtime", "records", "run"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
	}
	module, err := wat.ToWasm(`(module
		(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
		(memory (export "memory") 2048)
		(data (i32.const 0) "\08\00\00\00\03\00\00\00" "on\n")
		(func (export "_start") ` + body + `))`)
	require.NoError(t, err)
	native, err := sandbox.Compile(t.Context(), module)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "native"), native, 0o600))

	door, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.url = "http://" + door.Addr().String()
	doorFile, err := door.(*net.TCPListener).File()
	require.NoError(t, err)
	gateIn, gateOut, err := os.Pipe()
	require.NoError(t, err)
	outOut, outIn, err := os.Pipe()
	require.NoError(t, err)
	r.gate, r.pipe, r.stdout = gateOut, outOut, bufio.NewReader(outOut)
	t.Cleanup(func() { gateOut.Close(); outOut.Close() })

	r.cmd = program()
	r.cmd.Env = append(r.cmd.Env, "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_UNIX_SOCKET_DIR="+filepath.Join(root, "run"))
	r.cmd.Stdout = outIn
	r.cmd.Stderr = r.file("worker.log")
	r.cmd.ExtraFiles = []*os.File{
		gateIn, doorFile, r.folder("work"), r.folder("runtime"), r.folder("records"), r.folder("run"),
		r.folder(filepath.Dir(r.host.Path)), r.folder("native"), r.file("guest.stdout"), r.file("guest.stderr"),
	}
	require.NoError(t, r.cmd.Start())
	for _, file := range append(r.cmd.ExtraFiles, outIn) {
		file.Close()
	}
	door.Close()
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait() // the state says it all
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
	return r
}

func (r *rig) folder(path string) *os.File {
	r.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.root, path)
	}
	file, err := os.Open(path)
	require.NoError(r.t, err)
	return file
}

func (r *rig) file(name string) *os.File {
	r.t.Helper()
	file, err := os.OpenFile(filepath.Join(r.root, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(r.t, err)
	return file
}

func (r *rig) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.root, name))
	require.NoError(r.t, err)
	return string(data)
}

func (r *rig) ctx() context.Context {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

// open opens the gate and reads where the worker serves.
func (r *rig) open() string {
	r.t.Helper()
	_, err := r.gate.Write([]byte{1})
	require.NoError(r.t, err)
	require.NoError(r.t, r.pipe.SetReadDeadline(time.Now().Add(patience)))
	line, err := r.stdout.ReadString('\n')
	require.NoError(r.t, err, "%s", r.read("worker.log"))
	fields := strings.Split(strings.TrimSpace(line), "|")
	require.Len(r.t, fields, 6)
	assert.Equal(r.t, []string{"1", "1", "unix"}, fields[:3])
	assert.True(r.t, strings.HasPrefix(fields[3], filepath.Join(r.root, "run")+"/"))
	r.client, r.conn, err = reach(fields[3])
	require.NoError(r.t, err)
	r.t.Cleanup(func() { r.conn.Close() })
	return fields[3]
}

// greet opens the gate and says hello.
func (r *rig) greet() *workerv1.HelloResponse {
	r.t.Helper()
	r.open()
	hello, err := r.client.Hello(r.ctx(), &workerv1.HelloRequest{Protocol: plugin.Protocol})
	require.NoError(r.t, err, "%s", r.read("worker.log"))
	return hello
}

func (r *rig) assignment() *workerv1.AssignRequest {
	return &workerv1.AssignRequest{
		Session: &workerv1.Session{SessionId: id.Session.New(), Capsule: "guest", Version: "0.1.0", Url: r.url},
		Task:    &workerv1.Task{TaskId: id.Task.New(), ContextId: id.Context.New(), MessageId: id.Message.New(), Text: "t"},
		Limits:  &workerv1.Limits{MemoryBytes: 512 << 20, TableElements: 1000, DeadlineMs: 600_000, OrphanTimeoutMs: 600_000},
		Grants:  &workerv1.Grants{SpawnAllow: []string{"other"}},
	}
}

func (r *rig) assign(a *workerv1.AssignRequest) {
	r.t.Helper()
	_, err := r.client.Assign(r.ctx(), a)
	require.NoError(r.t, err)
}

// code waits for the process's end and returns its exit code.
func (r *rig) code() int {
	r.t.Helper()
	select {
	case <-r.ended:
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		require.FailNow(r.t, "the worker does not end", "%s", r.read("worker.log"))
		return -1
	}
}

// cried waits until the guest has printed an error, which nothing holds back.
func (r *rig) cried() {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return strings.Contains(r.read("guest.stderr"), "on\n") }, patience, 2*time.Millisecond)
}

// once runs one of the program's short modes.
func once(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

const (
	say  = `(drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 24)))`
	cry  = `(drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 24)))`
	spin = cry + `(loop (br 0))`
)

// bulk is seconds of work in which the engine looks at nothing: fills of 128 MiB, one
// after the other and in no loop.
func bulk() string {
	return cry + strings.Repeat(`(memory.fill (i32.const 0) (i32.const 1) (i32.const 134217728))`, 400)
}

// drain reads what is left on the handshake's pipe.
func (r *rig) drain() string {
	r.t.Helper()
	require.NoError(r.t, r.pipe.SetReadDeadline(time.Now().Add(patience)))
	rest, err := io.ReadAll(r.stdout)
	require.NoError(r.t, err, "the pipe must end")
	return string(rest)
}

func strangerTo(path string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{strangerEnv + "=" + path}
	return cmd
}

// pidOf is the pid as the worker says it.
func (r *rig) pidOf() string { return strconv.Itoa(r.cmd.Process.Pid) }
