package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// callTimeout bounds every reading call; a healthy supervisor answers from memory in milliseconds.
const callTimeout = 10 * time.Second

// address finds the host a command speaks to.
type address struct {
	env      *Env
	operator string
	state    string
	fleet    string
}

func (a *address) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.operator, "operator", "", "operator socket of the host (a path or unix://PATH)")
	f.StringVar(&a.state, "state", "", "state folder of the host")
	f.StringVarP(&a.fleet, "fleet", "f", "", "fleet file (default ./fleet.yaml)")
}

// stateDir is the state folder by the fixed order: --state, ROOKERY_STATE, the fleet file's, XDG_STATE_HOME, ~/.local/state.
func (a *address) stateDir() (string, error) {
	if a.state != "" {
		return filepath.Abs(a.state)
	}
	if s := a.env.Getenv("ROOKERY_STATE"); s != "" {
		return filepath.Abs(s)
	}
	dir, err := a.fleetStateDir()
	if err != nil || dir != "" {
		return dir, err
	}
	if s := a.env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(s) {
		return filepath.Join(s, "rookery"), nil
	}
	home := a.env.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", usage("no state folder: give --state DIR, or set ROOKERY_STATE or HOME")
	}
	return filepath.Join(home, ".local", "state", "rookery"), nil
}

// target is the address that gRPC dials.
func (a *address) target() (string, error) {
	op := a.operator
	switch {
	case op == "":
		dir, err := a.stateDir()
		if err != nil {
			return "", err
		}
		op = layout.State{Root: dir}.OperatorSock()
	case strings.HasPrefix(op, "tcp://"):
		return "", usage("--operator %s: TCP with mutual TLS is not built into this version yet; use the host's socket", op)
	case strings.Contains(op, "://") && !strings.HasPrefix(op, "unix://"):
		return "", usage("--operator %s: give a path or unix://PATH", op)
	}
	path, err := filepath.Abs(strings.TrimPrefix(op, "unix://"))
	if err != nil {
		return "", usage("--operator %s: %w", op, err)
	}
	if _, err := os.Stat(path); err != nil {
		return "", &coded{code: exitNoHost, err: errors.New("no supervisor answers at " + path + ": is one up? (`supervisor up`, or name it with --state)")}
	}
	return "unix:" + path, nil
}

// call dials the host and runs fn under a bound.
func (a *address) call(ctx context.Context, bound time.Duration, fn func(context.Context, operatorv1.OperatorServiceClient) error) error {
	target, err := a.target()
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return usage("operator address %s: %w", target, err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	err = fn(ctx, operatorv1.NewOperatorServiceClient(conn))
	if exitCode(err) == exitNoHost {
		return &coded{code: exitNoHost, err: errors.New("no supervisor answers at " + strings.TrimPrefix(target, "unix:") + ": is one up?")}
	}
	return err
}
