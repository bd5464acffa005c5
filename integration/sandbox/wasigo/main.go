package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rookery/worker/sandbox/shim/wasisuite"
	"rookery/worker/wasi"
)

// deadline bounds one package's tests; the longest take ten seconds.
const deadline = 5 * time.Minute

func main() {
	verbose := flag.Bool("v", false, "print everything that the tests print")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: wasigo [-v] PACKAGE...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, flag.Args(), *verbose, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wasigo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, packages []string, verbose bool, out io.Writer) error {
	runner, err := wasisuite.New()
	if err != nil {
		return err
	}
	defer runner.Close()
	for _, name := range packages {
		text, err := test(ctx, runner, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		said := summary(name, text)
		if verbose {
			said = text + "\n" + said
		}
		if _, err := io.WriteString(out, said); err != nil {
			return err
		}
	}
	return nil
}

// test runs the tests of one package and returns what they printed.
func test(ctx context.Context, runner *wasisuite.Runner, name string) (string, error) {
	top, err := os.MkdirTemp("", "rkgo")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(top) }()
	module := filepath.Join(top, "test.wasm")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", module, name)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	root := filepath.Join(top, "root")
	if err := layOut(ctx, root, name); err != nil {
		return "", err
	}
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)

	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	var text bytes.Buffer
	_, err = runner.Program(ctx, wasisuite.Program{
		Path: module, Args: []string{"test", "-test.v", "-test.short"},
		Env:      []string{"PWD=/go/src/" + name, "GOROOT=/go", "TMPDIR=/tmp", "HOME=/home", "ZONEINFO=/go/lib/time/zoneinfo.zip"},
		Preopens: []wasi.Preopen{{FD: fd, Name: "/"}},
		Stdout:   &text, Stderr: &text,
	})
	return text.String(), err
}

// layOut makes the root folder that the tests see.
func layOut(ctx context.Context, root, name string) error {
	found, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	goroot := strings.TrimSpace(string(found))
	// The tests of path/filepath look at package unicode.
	for _, dir := range []string{"src/" + name, "src/unicode", "lib/time"} {
		if err := os.CopyFS(filepath.Join(root, "go", dir), os.DirFS(filepath.Join(goroot, dir))); err != nil {
			return err
		}
	}
	for _, dir := range []string{"tmp", "home", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	for _, file := range []string{"go.env", "LICENSE", "CONTRIBUTING.md", "VERSION"} {
		text, err := os.ReadFile(filepath.Join(goroot, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "go", file), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// summary counts the verdicts of whole tests, and quotes those that failed.
func summary(name, text string) string {
	counts := map[string]int{}
	var failed, said strings.Builder
	for line := range strings.Lines(text) {
		verdict, test, ended := strings.Cut(strings.TrimPrefix(line, "--- "), ": ")
		switch {
		case strings.HasPrefix(line, "--- ") && ended:
			if counts[verdict]++; verdict == "FAIL" {
				fmt.Fprintf(&failed, "%s %s%s", name, test, said.String())
			}
		case strings.HasPrefix(line, "    "):
			said.WriteString(line)
			continue
		}
		said.Reset()
	}
	return fmt.Sprintf("%s%s: %d passed, %d failed, %d skipped\n", failed.String(), name, counts["PASS"], counts["FAIL"], counts["SKIP"])
}
