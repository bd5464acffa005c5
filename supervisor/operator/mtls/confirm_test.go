package mtls_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/operator/mtls"
)

// greet accepts one connection, ends its handshake and speaks first, if it is to speak.
func greet(t *testing.T, server *tls.Config, greeting string) net.Listener {
	t.Helper()
	server = server.Clone()
	server.NextProtos = []string{"h2"}
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		if conn.(*tls.Conn).Handshake() == nil {
			_, _ = io.WriteString(conn, greeting)
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l
}

func shake(t *testing.T, l net.Listener, client *tls.Config, bound time.Duration) (net.Conn, error) {
	t.Helper()
	raw, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { raw.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	conn, _, err := mtls.ClientCredentials(client).Clone().ClientHandshake(ctx, l.Addr().String(), raw)
	return conn, err
}

func TestAHandshakeEndsWithTheServersFirstWord(t *testing.T) {
	t.Parallel()
	ca, foreign := newAuthority(t, "ca"), newAuthority(t, "foreign")
	server, err := mtls.Server(ca.issue("host", x509.ExtKeyUsageServerAuth, nil))
	require.NoError(t, err)
	ann, err := mtls.Client(ca.issue("ann", x509.ExtKeyUsageClientAuth, nil))
	require.NoError(t, err)
	files := foreign.issue("bob", x509.ExtKeyUsageClientAuth, nil)
	files.CA = ca.file
	bob, err := mtls.Client(files)
	require.NoError(t, err)

	conn, err := shake(t, greet(t, server, "hello"), ann, 5*time.Second)
	require.NoError(t, err)
	word := make([]byte, 5)
	_, err = io.ReadFull(conn, word)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(word), "nothing of it is lost")
	conn.Close()

	_, err = shake(t, greet(t, server, "hello"), bob, 5*time.Second)
	assert.ErrorContains(t, err, "tls: ", "the refusal is what the handshake ends with")

	_, err = shake(t, greet(t, server, ""), ann, 50*time.Millisecond)
	assert.Error(t, err, "a server that says nothing is waited for as long as the caller has")
}
