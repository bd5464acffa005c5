package mtls

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
)

// ClientCredentials are a gRPC client's, for a configuration of Client. Its handshake ends with the server's first byte: in TLS 1.3 the
// client's own part is over before the server has looked at its certificate, and a refusal that came later would look like any broken
// connection. A gRPC server speaks first.
func ClientCredentials(config *tls.Config) credentials.TransportCredentials {
	return confirmed{credentials.NewTLS(config)}
}

type confirmed struct {
	credentials.TransportCredentials
}

func (c confirmed) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := c.TransportCredentials.ClientHandshake(ctx, authority, raw)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	first := make([]byte, 1)
	n, err := conn.Read(first)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return &begun{Conn: conn, first: first[:n]}, info, nil
}

func (c confirmed) Clone() credentials.TransportCredentials {
	return confirmed{c.TransportCredentials.Clone()}
}

// begun is a connection whose first byte was read already.
type begun struct {
	net.Conn
	first []byte
}

func (b *begun) Read(p []byte) (int, error) {
	if len(b.first) > 0 && len(p) > 0 {
		n := copy(p, b.first)
		b.first = b.first[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}
