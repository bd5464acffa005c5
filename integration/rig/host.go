package rig

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// Host is a supervisor that a test started, and its state folder.
type Host struct {
	// Dir holds the fleet file and, beneath it, the state folder.
	Dir   string
	State layout.State
	// Conn is a connection to the operator socket, API the service on it. Both are there once the host serves.
	Conn *grpc.ClientConn
	API  operatorv1.OperatorServiceClient

	t        testing.TB
	o        options
	fleet    string
	cmd      *exec.Cmd
	out, log *output
	exited   chan struct{} // closed when the process has been waited for
	code     int
}

type options struct {
	env      []string
	programs string
	flags    []string
	files    []*os.File
	cold     bool
	uid      uint32 // 0: the test's own
}

// Option changes how a host is started.
type Option func(*options)

// Env adds variables to the supervisor's environment, which otherwise holds HOME alone.
func Env(variables ...string) Option {
	return func(o *options) { o.env = append(o.env, variables...) }
}

// Programs takes the programs from another folder than bin.
func Programs(dir string) Option { return func(o *options) { o.programs = dir } }

// Flags adds flags to `supervisor up`.
func Flags(flags ...string) Option {
	return func(o *options) { o.flags = append(o.flags, flags...) }
}

// Files lets the supervisor inherit open files, from descriptor 3 on.
func Files(files ...*os.File) Option {
	return func(o *options) { o.files = append(o.files, files...) }
}

// Cold lets the host begin without a state folder: it compiles what it needs.
func Cold() Option { return func(o *options) { o.cold = true } }

// Dir makes a short folder that goes away with the test: sockets lie beneath it.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Start starts a supervisor on a new state folder and does not wait for it.
func Start(t testing.TB, fleet Fleet, opts ...Option) *Host {
	t.Helper()
	h := &Host{t: t, Dir: Dir(t), o: options{programs: Path("bin")}}
	for _, opt := range opts {
		opt(&h.o)
	}
	h.fleet = fleet.write(t, h.Dir)
	h.State = layout.State{Root: filepath.Join(h.Dir, "s")}
	if fleet.StateDir != "" {
		h.State.Root = fleet.StateDir
	}
	if !h.o.cold {
		heat(t, h.State)
	}
	t.Cleanup(h.cleanUp)
	h.start()
	return h
}

// Up starts a supervisor on a new state folder and returns when it serves.
func Up(t testing.TB, fleet Fleet, opts ...Option) *Host {
	t.Helper()
	h := Start(t, fleet, opts...)
	h.serving()
	return h
}

// Again starts a supervisor on the same fleet file and state folder after the one before has ended. Its environment is again what the
// options say and HOME; the programs and flags stay those of before unless an option changes them.
func (h *Host) Again(opts ...Option) {
	h.t.Helper()
	h.o.env = nil
	for _, opt := range opts {
		opt(&h.o)
	}
	h.start()
	h.serving()
}

func (h *Host) start() {
	h.t.Helper()
	h.out, h.log, h.exited = &output{}, &output{}, make(chan struct{})
	h.cmd = exec.Command(filepath.Join(h.o.programs, "supervisor"), append([]string{"up", "-f", h.fleet}, h.o.flags...)...)
	h.cmd.Env = append([]string{"HOME=" + h.Dir}, h.o.env...)
	h.cmd.Dir, h.cmd.ExtraFiles = h.Dir, h.o.files
	h.cmd.Stdout, h.cmd.Stderr = h.out, h.log
	if h.o.uid != 0 {
		h.disown()
	}
	require.NoError(h.t, h.cmd.Start())
	go func(cmd *exec.Cmd, exited chan struct{}) {
		defer close(exited)
		var failed *exec.ExitError
		if err := cmd.Wait(); errors.As(err, &failed) {
			h.code = failed.ExitCode()
		} else {
			h.code = 0
		}
	}(h.cmd, h.exited)
}

// serving waits until the health service of the operator socket says so.
func (h *Host) serving() {
	h.t.Helper()
	conn, err := grpc.NewClient("unix:"+h.State.OperatorSock(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(h.t, err)
	if h.Conn != nil {
		_ = h.Conn.Close()
	}
	h.Conn, h.API = conn, operatorv1.NewOperatorServiceClient(conn)
	health := grpc_health_v1.NewHealthClient(conn)
	Until(h.t, Soon, "the supervisor serves", func() bool {
		if h.Exited() {
			h.t.Fatalf("the supervisor left with %d:\n%s", h.code, h.log)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		answer, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: operatorv1.OperatorService_ServiceDesc.ServiceName})
		if err != nil {
			conn.ResetConnectBackoff() // the socket may be there any moment
		}
		return answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING
	})
}

// FleetFile is the path of the fleet file.
func (h *Host) FleetFile() string { return h.fleet }

// PID is the supervisor's.
func (h *Host) PID() int { return h.cmd.Process.Pid }

// Log is what the supervisor has written to stderr so far, Stdout what it has written there.
func (h *Host) Log() string { return h.log.String() }

// Stdout is where the supervisor prints each root's end.
func (h *Host) Stdout() string { return h.out.String() }

// Exited tells whether the supervisor has left.
func (h *Host) Exited() bool {
	select {
	case <-h.exited:
		return true
	default:
		return false
	}
}

// Signal sends the supervisor a signal.
func (h *Host) Signal(sig syscall.Signal) {
	h.t.Helper()
	require.NoError(h.t, h.cmd.Process.Signal(sig))
}

// Exit waits for the supervisor to leave and returns its exit code, -1 when a signal ended it.
func (h *Host) Exit(bound time.Duration) int {
	h.t.Helper()
	late := time.NewTimer(bound)
	defer late.Stop()
	select {
	case <-h.exited:
		return h.code
	case <-late.C:
		h.t.Fatalf("the supervisor has not left within %s", bound)
		return 0
	}
}

// Stop asks the supervisor to stop and returns its exit code.
func (h *Host) Stop() int {
	h.t.Helper()
	h.Signal(syscall.SIGTERM)
	return h.Exit(Soon)
}

// Kill9 kills the supervisor alone: its workers live on.
func (h *Host) Kill9() {
	h.t.Helper()
	h.Signal(syscall.SIGKILL)
	h.Exit(Soon)
}

// cleanUp ends whatever the test left running, and shows what was said when it failed.
func (h *Host) cleanUp() {
	if h.Conn != nil {
		_ = h.Conn.Close()
	}
	if !h.Exited() {
		_ = h.cmd.Process.Kill()
		<-h.exited
	}
	for _, pid := range h.Workers() {
		// Its environment names our state folder, a temporary one of this test.
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if h.t.Failed() {
		h.t.Logf("supervisor's stdout:\n%s\nsupervisor's log:\n%s", tail(h.Stdout()), tail(h.Log()))
		logs, _ := filepath.Glob(filepath.Join(h.State.Root, "records", "*", "*", layout.WorkerLog))
		for _, path := range logs {
			if text := worrying(path); text != "" {
				h.t.Logf("%s:\n%s", path, text[:min(len(text), 600)])
			}
		}
	}
}

// worrying is what a log holds above the level of debugging.
func worrying(path string) string {
	raw, _ := os.ReadFile(path)
	var kept strings.Builder
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, `{"level":"debug"`) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// tail is the end of a long text.
func tail(text string) string {
	const most = 4000
	if len(text) <= most {
		return text
	}
	return "[…]" + text[len(text)-most:]
}

// output collects what a process writes while a test reads it.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
