package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/operator/mtls"
)

// callTimeout bounds every reading call; a healthy supervisor answers from memory in milliseconds.
const callTimeout = 10 * time.Second

// errSilent begins the error of a supervisor that may well run: its records are not read in its place, nothing is done for it.
var errSilent = errors.New("the supervisor")

func silent(name string) error {
	return &coded{code: exitNoHost, err: fmt.Errorf("%w at %s does not answer (it is stopped, is overloaded, or ended the connection)", errSilent, name)}
}

// listening reports whether a process holds the socket at path, though no call came through: the kernel connects without its help.
func listening(ctx context.Context, path string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil || errors.Is(err, unix.EAGAIN) // EAGAIN: its queue is full
}

// nobody reports whether no supervisor runs, so that the records may speak.
func nobody(err error) bool { return exitCode(err) == exitNoHost && !errors.Is(err, errSilent) }

// address finds the host a command speaks to.
type address struct {
	env      *Env
	operator string
	state    string
	fleet    string
	tls      mtls.Files
}

func (a *address) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.operator, "operator", "", "where the host serves operators: a socket's path, unix://PATH or tcp://HOST:PORT")
	f.StringVar(&a.state, "state", "", "state folder of the host")
	f.StringVar(&a.tls.Cert, "tls-cert", "", "your certificate, for tcp:// (PEM file)")
	f.StringVar(&a.tls.Key, "tls-key", "", "its key, for tcp:// (PEM file)")
	f.StringVar(&a.tls.CA, "tls-ca", "", "the authority that signed the host's certificate, for tcp:// (PEM file)")
	f.StringVar(&a.fleet, "fleet", "", fleetUsage)
}

const fleetUsage = "fleet file (default ./fleet.yaml)"

// shorthand gives --fleet its -f, where that does not mean to follow.
func (a *address) shorthand(commands ...*cobra.Command) {
	for _, c := range commands {
		if c.Flags().ShorthandLookup("f") == nil {
			c.Flags().StringVarP(&a.fleet, "fleet", "f", "", fleetUsage)
		}
	}
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

// target is what gRPC dials: an address, how it is secured, and the address as a person writes it.
type target struct {
	dial   string
	secure credentials.TransportCredentials
	name   string
	remote bool
}

func (a *address) target() (target, error) {
	op := a.operator
	if host, tcp := strings.CutPrefix(op, "tcp://"); tcp {
		return a.remote(host)
	}
	switch {
	case a.tls != (mtls.Files{}):
		return target{}, usage("--tls-cert, --tls-key and --tls-ca go with --operator tcp://HOST:PORT")
	case op == "":
		dir, err := a.stateDir()
		if err != nil {
			return target{}, err
		}
		op = layout.State{Root: dir}.OperatorSock()
	case strings.Contains(op, "://") && !strings.HasPrefix(op, "unix://"):
		return target{}, usage("--operator %s: give a path, unix://PATH or tcp://HOST:PORT", op)
	}
	path, err := filepath.Abs(strings.TrimPrefix(op, "unix://"))
	if err != nil {
		return target{}, usage("--operator %s: %w", op, err)
	}
	if err := reachable(path); errors.Is(err, fs.ErrPermission) {
		return target{}, usage("%s: permission denied: only the user that the supervisor runs as, and root, may use it", path)
	} else if err != nil {
		return target{}, &coded{code: exitNoHost, err: errors.New("no supervisor answers at " + path + ": is one up? (`supervisor up`, or name it with --state)")}
	}
	return target{dial: "unix:" + path, secure: insecure.NewCredentials(), name: path}, nil
}

// reachable asks before the connection is tried, whose errors are text. To connect to a socket is to write to it.
func reachable(path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	return unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
}

func (a *address) remote(host string) (target, error) {
	if _, _, err := net.SplitHostPort(host); err != nil {
		return target{}, usage("--operator tcp://%s: give a host and a port", host)
	}
	if a.tls.Cert == "" || a.tls.Key == "" || a.tls.CA == "" {
		return target{}, usage("--operator tcp://%s: plain TCP is not spoken: give --tls-cert, --tls-key and --tls-ca", host)
	}
	config, err := mtls.Client(a.tls)
	if err != nil {
		return target{}, usage("%w", err)
	}
	return target{dial: "dns:///" + host, secure: mtls.ClientCredentials(config), name: "tcp://" + host, remote: true}, nil
}

// call dials the host and runs fn under a bound.
func (a *address) call(ctx context.Context, bound time.Duration, fn func(context.Context, operatorv1.OperatorServiceClient) error) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	return a.stream(ctx, fn)
}

// stream is call without a bound, for what ends with the host or by the caller's own hand.
func (a *address) stream(ctx context.Context, fn func(context.Context, operatorv1.OperatorServiceClient) error) error {
	at, err := a.target()
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(at.dial, grpc.WithTransportCredentials(at.secure), grpc.WithUserAgent("rookery/"+a.env.Version))
	if err != nil {
		return usage("operator address %s: %w", at.name, err)
	}
	defer func() { _ = conn.Close() }()
	err = fn(ctx, operatorv1.NewOperatorServiceClient(conn))
	if status.Code(err) == codes.DeadlineExceeded { // a bound of ours: the host sets none
		return silent(at.name)
	}
	if exitCode(err) != exitNoHost {
		return err
	}
	text := status.Convert(err).Message()
	switch {
	case at.remote && strings.Contains(text, "handshake failed"):
		return usage("%s: the two ends do not accept each other's certificates: %s", at.name, text)
	case at.remote:
		return &coded{code: exitNoHost, err: errors.New("no supervisor answers at " + at.name + ": " + text)}
	case listening(ctx, at.name):
		return silent(at.name)
	}
	return &coded{code: exitNoHost, err: errors.New("no supervisor answers at " + at.name + ": is one up?")}
}

// orDisk is call for what can be read from the records too, while no supervisor runs on the state folder.
func (a *address) orDisk(ctx context.Context, fn func(context.Context, operatorv1.OperatorServiceClient) error, disk func(layout.State) error) error {
	err := a.call(ctx, callTimeout, fn)
	if !nobody(err) {
		return err
	}
	state, found := a.kept()
	if !found {
		return err
	}
	_, _ = fmt.Fprintln(a.env.Stderr, "no supervisor answers: this is read from the records in "+view.Clean(state.Root))
	return disk(state)
}

// kept is the state folder when it may be read in the host's place: nobody named another host, and it holds records.
func (a *address) kept() (layout.State, bool) {
	if a.operator != "" {
		return layout.State{}, false
	}
	dir, err := a.stateDir()
	if err != nil {
		return layout.State{}, false
	}
	state := layout.State{Root: dir}
	info, err := os.Stat(filepath.Dir(state.Records("capsule", "")))
	return state, err == nil && info.IsDir()
}
