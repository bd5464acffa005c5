package operator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"rookery/capsule/peercred"
)

// access lets an operator in by what connects: over the unix socket the kernel says who it is, over TCP a certificate does.
type access struct {
	unix credentials.TransportCredentials
	tls  credentials.TransportCredentials // nil: no TCP
}

func (s *Server) access(config *tls.Config) credentials.TransportCredentials {
	a := access{unix: peercred.Server(s.allowed)}
	if config != nil {
		a.tls = credentials.NewTLS(config)
	}
	return a
}

func (a access) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if _, local := conn.(*net.UnixConn); local {
		return a.unix.ServerHandshake(conn)
	}
	if a.tls == nil {
		return nil, nil, errors.New("operators are not served over TCP")
	}
	return a.tls.ServerHandshake(conn)
}

func (access) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("these are a server's credentials")
}

func (access) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "operator"}
}

func (a access) Clone() credentials.TransportCredentials { return a }

// OverrideServerName is part of the interface and means nothing to a server.
func (access) OverrideServerName(string) error {
	return errors.New("there are no server names here")
}

// allowed is the check at connect to the unix socket.
func (s *Server) allowed(pid int, uid uint32) error {
	if own := os.Geteuid(); uid != 0 && int(uid) != own {
		return fmt.Errorf("uid %d is not an operator here: the supervisor runs as uid %d", uid, own)
	}
	if _, ok := s.launcher.ByPID(pid); ok {
		return fmt.Errorf("process %d is a worker of this supervisor", pid)
	}
	// What a worker forked is in the group that the worker leads; only one that made a group of its own is not told from others.
	if group, err := unix.Getpgid(pid); err == nil {
		if _, ok := s.launcher.ByPID(group); ok {
			return fmt.Errorf("process %d belongs to worker %d of this supervisor", pid, group)
		}
	}
	return nil
}

// caller names who asks, for the log.
func caller(ctx context.Context) string {
	who, ok := peer.FromContext(ctx)
	if !ok {
		return "unknown"
	}
	switch auth := who.AuthInfo.(type) {
	case peercred.AuthInfo:
		return fmt.Sprintf("uid %d, pid %d", auth.UID, auth.PID)
	case credentials.TLSInfo:
		if chain := auth.State.PeerCertificates; len(chain) > 0 {
			return fmt.Sprintf("%.200s at %s", chain[0].Subject, who.Addr)
		}
	}
	return "unknown"
}
