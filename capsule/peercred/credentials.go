package peercred

import (
	"context"
	"errors"
	"fmt"
	"net"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// AuthInfo is the process at the other end of a connection.
type AuthInfo struct {
	credentials.CommonAuthInfo
	PID int
	UID uint32
}

// AuthType names the mechanism.
func (AuthInfo) AuthType() string { return "peercred" }

// Check agrees to a peer by returning nil. Its error is told to our own side only. It must not block.
type Check func(pid int, uid uint32) error

// Server returns credentials for a gRPC server that takes connections only from processes the check agrees to.
func Server(check Check) credentials.TransportCredentials { return transport{check} }

// Client returns credentials for a gRPC client that speaks only to a listener the check agrees to. A refusal shows in the
// first RPC, as Unavailable.
func Client(check Check) credentials.TransportCredentials { return transport{check} }

// FromContext returns the process that made the RPC ctx belongs to; false when the server's credentials are not of this
// package.
func FromContext(ctx context.Context) (AuthInfo, bool) {
	client, ok := peer.FromContext(ctx)
	if !ok {
		return AuthInfo{}, false
	}
	info, ok := client.AuthInfo.(AuthInfo)
	return info, ok
}

type transport struct{ check Check }

// handshake is the same at both ends: nothing is sent, the kernel is asked.
func (t transport) handshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	pid, uid, err := Of(conn)
	if err != nil {
		return nil, nil, err
	}
	if err := t.check(pid, uid); err != nil {
		return nil, nil, fmt.Errorf("peer pid %d: %w", pid, err)
	}
	// A unix socket cannot be listened in on or altered on its way, which is what the level says.
	common := credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}
	return conn, AuthInfo{CommonAuthInfo: common, PID: pid, UID: uid}, nil
}

func (t transport) ClientHandshake(_ context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return t.handshake(conn)
}

func (t transport) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return t.handshake(conn)
}

func (t transport) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "peercred"}
}

func (t transport) Clone() credentials.TransportCredentials { return t }

// OverrideServerName is part of the interface and means nothing here.
func (t transport) OverrideServerName(string) error {
	return errors.New("peercred: there are no server names")
}
