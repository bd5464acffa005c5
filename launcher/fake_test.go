package launcher_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/peercred"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// The fake worker is this test program, started by the launcher. How it misbehaves stands in its runtime folder, so that
// nothing about its environment or arguments differs from a real one's.
const (
	behaveFile = "behave"
	reportFile = "report.json"
)

// report is what the fake worker finds when it starts.
type report struct {
	Args   []string
	Env    []string
	Folder string
	Files  map[int]string // what each descriptor is
	PID    int
	Member int // pid of a process it has started
}

func fakeWorker() {
	seen := report{Args: os.Args, PID: os.Getpid(), Files: descriptors()}
	seen.Folder, _ = os.Getwd()
	environ, _ := os.ReadFile("/proc/self/environ")
	seen.Env = strings.Split(strings.TrimSuffix(string(environ), "\x00"), "\x00")

	say("at the gate")
	var one [1]byte
	if n, _ := syscall.Read(plugin.FDGate, one[:]); n != 1 {
		say("the gate was closed")
		os.Exit(plugin.ExitGateClosed)
	}
	say("through the gate")

	text, err := os.ReadFile(inherited(plugin.FDRuntime, behaveFile))
	if err != nil {
		text = nil // well-behaved
	}
	how := append(strings.Fields(string(text)), "", "")
	switch how[0] {
	case "family", "holder":
		// A process that has our standard output; a holder's is out of our group, too.
		member := exec.Command("/proc/self/exe")
		member.Env = []string{plugin.Handshake.MagicCookieKey + "=member"}
		member.Stdout = os.NewFile(1, "stdout")
		member.SysProcAttr = &syscall.SysProcAttr{Setsid: how[0] == "holder"}
		if err := member.Start(); err != nil {
			os.Exit(90)
		}
		seen.Member = member.Process.Pid
	}
	encoded, _ := json.Marshal(seen)
	if err := os.WriteFile(inherited(plugin.FDRecords, reportFile), encoded, 0o600); err != nil {
		os.Exit(91)
	}
	misbehave(how)
	serve(how)
}

// misbehave does what a worker may do wrong before it serves.
func misbehave(how []string) {
	number, _ := strconv.Atoi(how[1])
	switch how[0] {
	case "mute":
		stay()
	case "half":
		fmt.Print("1|1|unix|")
		stay()
	case "garbage":
		fmt.Println("hello, world")
		stay()
	case "usage":
		fmt.Println("usage: worker")
		os.Exit(plugin.ExitByHand)
	case "flood":
		_, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), 6<<20))
		stay()
	case "silent":
		os.Stdout.Close()
		stay()
	case "version":
		fmt.Println("1|99|unix|/run/plugin1|grpc")
		stay()
	case "tcp":
		fmt.Println("1|1|tcp|127.0.0.1:1|grpc")
		stay()
	case "netrpc":
		fmt.Println("1|1|unix|/run/plugin1|netrpc")
		stay()
	case "exit":
		say("cannot go on")
		os.Exit(number)
	case "panic":
		panic("on purpose")
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "family":
		stay()
	case "holder":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "impostor":
		// Somebody else listens on the socket that we name.
		fmt.Println("1|1|unix|/x/impostor.sock|grpc")
		stay()
	case "log":
		line := bytes.Repeat([]byte("y"), 64<<10)
		for range number {
			_, _ = syscall.Write(2, line)
		}
	}
}

func serve(how []string) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: plugin.Handshake,
		Plugins:         plugin.Set(&fakeService{how: how}),
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			only := peercred.Server(func(pid int, _ uint32) error {
				if pid != os.Getppid() || how[0] == "unfriendly" {
					return errors.New("not the supervisor")
				}
				return nil
			})
			streams := func(_ any, _ grpc.ServerStream, info *grpc.StreamServerInfo, _ grpc.StreamHandler) error {
				say("stream " + info.FullMethod)
				return status.Error(codes.Unimplemented, "no streams")
			}
			return grpc.NewServer(append(options, grpc.Creds(only), grpc.StreamInterceptor(streams))...)
		},
	})
	os.Exit(plugin.ExitNeverServed)
}

type fakeService struct {
	workerv1.UnimplementedWorkerServiceServer
	how []string
}

func (f *fakeService) Hello(_ context.Context, _ *workerv1.HelloRequest) (*workerv1.HelloResponse, error) {
	hello := &workerv1.HelloResponse{Protocol: plugin.Protocol, Pid: int32(os.Getpid()), Containment: "advisory"}
	switch f.how[0] {
	case "slow":
		stay()
	case "hello-exit":
		os.Exit(5)
	case "hello-version":
		hello.Protocol = 7
	case "hello-pid":
		hello.Pid = 1
	case "hello-large":
		hello.Build = strings.Repeat("z", 1<<20)
	}
	return hello, nil
}

func (f *fakeService) Assign(_ context.Context, request *workerv1.AssignRequest) (*workerv1.AssignResponse, error) {
	if f.how[0] == "door" {
		listener, err := net.FileListener(os.NewFile(plugin.FDDoor, "door"))
		if err != nil {
			return nil, err
		}
		go func() {
			_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "the worker's")
			}))
		}()
	}
	// What a task is to do stands in its text.
	for order := range strings.SplitSeq(request.GetTask().GetText(), ";") {
		verb, argument, _ := strings.Cut(order, " ")
		number, _ := strconv.Atoi(argument)
		switch verb {
		case "complain":
			_, _ = syscall.Write(plugin.FDGuestStderr, []byte(argument+"\n"))
		case "exit":
			os.Exit(number)
		case "signal":
			_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
		case "block":
			// The supervisor's copy of the door must not mind.
			_ = syscall.SetNonblock(plugin.FDDoor, false)
		}
	}
	return &workerv1.AssignResponse{}, nil
}

func (f *fakeService) End(_ context.Context, _ *workerv1.EndRequest) (*workerv1.EndResponse, error) {
	switch f.how[0] {
	case "stubborn":
	case "deaf":
		stay()
	default:
		time.AfterFunc(10*time.Millisecond, func() { os.Exit(plugin.ExitEnded) })
	}
	return &workerv1.EndResponse{}, nil
}

// descriptors says what every open descriptor is. The runtime's own, the poller's and the folder being read, have no file.
func descriptors() map[int]string {
	found := map[int]string{}
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, name := range names {
		number, _ := strconv.Atoi(name.Name())
		target, err := os.Readlink(filepath.Join("/proc/self/fd", name.Name()))
		if err == nil && !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(target, "/proc/") {
			found[number] = target
		}
	}
	return found
}

// fakeTool is the other way to start the program.
func fakeTool(arguments []string) {
	switch {
	case slices.Equal(arguments, []string{"compile"}):
		fakeCompiler()
	case slices.Equal(arguments, []string{"engine-key"}):
		switch os.Args[0] { // the name under which the program was found
		case "mute":
		case "half":
			fmt.Print("half")
		case "empty-line":
			fmt.Print("\nbuild 7\n")
		case "failing":
			fmt.Println("no engine")
			os.Exit(3)
		default:
			fmt.Print("engine 1 with settings\nbuild 7\n")
		}
		os.Exit(0)
	}
	os.Exit(92)
}

// fakeCompiler does what stands where the wasm should.
func fakeCompiler() {
	wasm := os.NewFile(3, "wasm")
	native := os.NewFile(4, "native")
	text, err := io.ReadAll(wasm)
	if err != nil {
		os.Exit(93)
	}
	how := append(strings.Fields(string(text)), "")
	switch how[0] {
	case "fail":
		fmt.Fprintln(os.Stderr, "first line")
		fmt.Fprintln(os.Stderr, "not a module:\x1b[31m bad magic")
		os.Exit(1)
	case "silently":
		os.Exit(66)
	case "spin":
		_, _ = native.WriteString(strconv.Itoa(os.Getpid()))
		for { //nolint:staticcheck // that is the point
		}
	case "allocate":
		mebibytes, _ := strconv.Atoi(how[1])
		block := make([]byte, mebibytes<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
	case "print":
		for range 100_000 {
			fmt.Fprintln(os.Stderr, "and so on")
		}
		os.Exit(1)
	case "environment":
		environ, _ := os.ReadFile("/proc/self/environ")
		encoded, _ := json.Marshal(report{Env: strings.Split(strings.TrimSuffix(string(environ), "\x00"), "\x00"), Files: descriptors()})
		_, _ = native.Write(encoded)
		os.Exit(0)
	}
	_, _ = native.WriteString("native code of " + string(text))
	os.Exit(0)
}

// inherited is a file in an inherited folder.
func inherited(folder int, name string) string {
	return filepath.Join("/proc/self/fd", strconv.Itoa(folder), name)
}

func say(line string) { _, _ = syscall.Write(2, []byte(line+"\n")) }

// stay does nothing until killed, and does not count as a deadlock.
func stay() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	for range never {
	}
}
