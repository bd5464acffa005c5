package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"rookery/launcher/proc"
	"rookery/supervisor/cli"
)

// version is set by the build (-ldflags -X).
var version = "devel"

func main() { os.Exit(run()) }

func run() int {
	// Whatever this process inherited must not reach a worker.
	if err := proc.CloseOnExecAll(); err != nil {
		fmt.Fprintln(os.Stderr, "supervisor:", err)
		return 1
	}
	executable, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "supervisor:", err)
		return 1
	}
	return cli.Run(context.Background(), cli.Env{
		Stdout: os.Stdout, Stderr: os.Stderr, Terminal: isatty.IsTerminal(os.Stdout.Fd()), StderrTerminal: isatty.IsTerminal(os.Stderr.Fd()),
		Getenv: os.Getenv, Executable: executable, Version: version, Size: terminalSize,
	}, os.Args[1:])
}

func terminalSize() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}
