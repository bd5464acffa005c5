package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"rookery/launcher/proc"
)

// process is go-plugin's view of a worker that runs already.
type process struct {
	handle *proc.Handle
	output *output
	run    string
}

// Start has nothing left to do.
func (p *process) Start(context.Context) error { return nil }

// Diagnose is asked for a text that nobody reads: failures are told apart by the exit status.
func (p *process) Diagnose(context.Context) string { return "" }

func (p *process) Stdout() io.ReadCloser { return p.output }

// Stderr is empty: the worker's goes straight to its log.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

func (p *process) Name() string { return "worker" }

func (p *process) ID() string { return strconv.Itoa(p.handle.Identity().PID) }

// Wait returns when the process has been reaped.
func (p *process) Wait(ctx context.Context) error {
	select {
	case <-p.handle.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	if exit, _ := p.handle.Exit(); !exit.Success() {
		return errors.New(exit.String())
	}
	return nil
}

// Kill leaves the process alone. The library calls it as soon as a handshake fails, before it is known whether the process is
// ending by itself and with what status; whoever started the process ends it.
func (p *process) Kill(context.Context) error { return nil }

// PluginToHost maps the address that the worker spoke into its run folder: of what it says, only the name of a socket is
// taken.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	name := filepath.Base(address)
	if network != "unix" || name == "." || name == ".." || name == "/" {
		return "", "", fmt.Errorf("the worker serves on %q %q, not on a socket in its folder", network, address)
	}
	return "unix", filepath.Join(p.run, name), nil
}

// HostToPlugin is the broker's, which is not used.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
