package rig

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// parallel is how many tests of one package run at once. Most of them wait for a deadline, so there are more than cores; what keeps a
// core busy takes Heavy.
const parallel = "6"

// needed are the files that say whether `./dev build` has run.
var needed = []string{
	"bin/supervisor", "bin/worker", "examples/census/capsules/orchestrator/capsule.wasm", "examples/misbehave/trap/capsule.wasm",
	"examples/relay/capsules/relay/capsule.wasm", Own + "/asker/capsule.wasm",
	"integration/sandbox/testdata/capsules/probe/capsule.wasm",
}

// Main runs a package's tests after making sure that there are programs and capsules to test. It returns the exit code.
func Main(m *testing.M) int {
	flag.Parse()
	if err := errorsOf(flag.Set("test.parallel", parallel), build()); err != nil {
		fmt.Fprintln(os.Stderr, "rig:", err)
		return 1
	}
	return m.Run()
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// root finds the repository from the folder that `go test` runs a package's tests in.
var root = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		raw, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(raw), "module rookery\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no folder above this one holds the module rookery")
		}
	}
})

// Path is a path in the repository, which is given with slashes.
func Path(rel string) string {
	dir, err := root()
	if err != nil {
		panic(err) // Main would have failed
	}
	return filepath.Join(dir, filepath.FromSlash(rel))
}

// build runs `./dev build` when something is missing. Test packages run at the same time, so one of them does it.
func build() error {
	if _, err := root(); err != nil {
		return err
	}
	unlock, err := lock("build")
	if err != nil {
		return err
	}
	defer unlock()
	for _, rel := range needed {
		if _, err := os.Stat(Path(rel)); err == nil {
			continue
		}
		cmd := exec.Command(Path("dev"), "build")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("./dev build: %w\n%s", err, out)
		}
		return nil
	}
	return nil
}

// lock takes a lock that test processes of this repository share, and waits for it. go test's own timeout bounds the wait.
func lock(name string) (unlock func(), err error) {
	if err := os.MkdirAll(Path(".cache"), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(Path(".cache/"+name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { _ = f.Close() }, nil
}

// Heavy makes a test that keeps the cores busy run beside no other such test, in whichever package.
func Heavy(t *testing.T) {
	t.Helper()
	unlock, err := lock("heavy")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
}

// Failpoints builds both programs with the build tag "failpoint" and returns the folder that holds them. Go's cache makes that a
// second when nothing has changed.
var failpoints = sync.OnceValues(func() (string, error) {
	unlock, err := lock("failpoint")
	if err != nil {
		return "", err
	}
	defer unlock()
	dir := Path(".cache/failpoint")
	for program, cgo := range map[string]string{"supervisor": "0", "worker": "1"} {
		// As in `dev`, so that what was compiled there is used.
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -extldflags=-Wl,--gc-sections",
			"-tags", "failpoint", "-o", filepath.Join(dir, program), "./"+program)
		cmd.Dir = Path(".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s with failpoints: %w\n%s", program, err, out)
		}
	}
	return dir, nil
})

// Failpoints returns the folder of the programs that stop or die at named points, see package failpoint.
func Failpoints(t *testing.T) string {
	t.Helper()
	dir, err := failpoints()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
