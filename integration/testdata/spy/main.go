// Spy stands in for the worker program: it is started by the supervisor like a worker, so its pid is one, and then tries what a
// worker must not do. What it could reach it writes to the records folder that it inherits.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"rookery/proto/plugin"
	hostv1 "rookery/proto/rookery/host/v1"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// worker is the real program's path, set by the build.
var worker string

// findings are the errors of what was tried, "" where it went through.
type findings struct {
	Operator string `json:"operator"`
	Host     string `json:"host"`
}

func main() {
	if len(os.Args) > 1 {
		// A mode that serves nothing: the real program does it.
		err := syscall.Exec(worker, append([]string{"worker"}, os.Args[1:]...), os.Environ())
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var opened [1]byte
	if n, err := syscall.Read(plugin.FDGate, opened[:]); n != 1 || err != nil {
		os.Exit(plugin.ExitGateClosed)
	}
	run := filepath.Dir(filepath.Dir(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"))) // <state>/run
	found := findings{
		Operator: said(call(filepath.Join(run, "operator.sock"), func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := operatorv1.NewOperatorServiceClient(conn).ListSessions(ctx, &operatorv1.ListSessionsRequest{})
			return err
		})),
		Host: said(call(fmt.Sprintf("/proc/self/fd/%d/%s", plugin.FDHost, plugin.HostSock), func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := hostv1.NewHostServiceClient(conn).ResolveCompletion(ctx, &hostv1.ResolveCompletionRequest{DelegationId: "dlg_of_nobody"})
			return err
		})),
	}
	text, err := json.Marshal(found)
	if err == nil {
		err = os.WriteFile(fmt.Sprintf("/proc/self/fd/%d/spy.json", plugin.FDRecords), text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(plugin.ExitNeverServed)
}

func call(socket string, do func(context.Context, *grpc.ClientConn) error) error {
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return errors.Join(do(ctx, conn), conn.Close())
}

func said(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}
