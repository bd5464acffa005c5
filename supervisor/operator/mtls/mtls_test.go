package mtls_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/operator/mtls"
)

// authority signs certificates for one test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	a := &authority{t: t, dir: dir}
	a.key = key(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	require.NoError(t, err)
	a.cert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	a.file = a.put("ca.pem", "CERTIFICATE", der, 0o644)
	return a
}

func key(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return k
}

func (a *authority) put(name, kind string, der []byte, mode os.FileMode) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	require.NoError(a.t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode))
	return path
}

// issue makes a certificate for 127.0.0.1; change may spoil it.
func (a *authority) issue(name string, use x509.ExtKeyUsage, change func(*x509.Certificate)) mtls.Files {
	a.t.Helper()
	own := key(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{use},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &own.PublicKey, a.key)
	require.NoError(a.t, err)
	raw, err := x509.MarshalECPrivateKey(own)
	require.NoError(a.t, err)
	return mtls.Files{
		Cert: a.put(name+".pem", "CERTIFICATE", der, 0o644), Key: a.put(name+".key", "EC PRIVATE KEY", raw, 0o600), CA: a.file,
	}
}

// meet connects a client to a server and returns what each end met.
func meet(t *testing.T, server, client *tls.Config) (atServer, atClient error) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	require.NoError(t, err)
	defer l.Close()
	done := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
			_, err = io.WriteString(conn, "hello")
		}
		done <- err
	}()
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 5 * time.Second}, "tcp", l.Addr().String(), client)
	if err == nil {
		_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
		_, err = io.ReadFull(conn, make([]byte, 5))
		conn.Close()
	}
	return <-done, err
}

func TestTwoEndsWithCertificatesOfTheRightAuthoritiesMeet(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t, "ca")
	server, err := mtls.Server(ca.issue("host", x509.ExtKeyUsageServerAuth, nil))
	require.NoError(t, err)
	client, err := mtls.Client(ca.issue("ann", x509.ExtKeyUsageClientAuth, nil))
	require.NoError(t, err)
	atServer, atClient := meet(t, server, client)
	assert.NoError(t, atServer)
	assert.NoError(t, atClient)
}

func TestAnEndThatIsNotTheRightOneIsRefused(t *testing.T) {
	t.Parallel()
	ca, foreign := newAuthority(t, "ca"), newAuthority(t, "ca")
	host := ca.issue("host", x509.ExtKeyUsageServerAuth, nil)
	good, err := mtls.Server(host)
	require.NoError(t, err)
	ann, err := mtls.Client(ca.issue("ann", x509.ExtKeyUsageClientAuth, nil))
	require.NoError(t, err)
	stranger, err := mtls.Client(func() mtls.Files {
		f := foreign.issue("bob", x509.ExtKeyUsageClientAuth, nil)
		f.CA = ca.file
		return f
	}())
	require.NoError(t, err)
	bare, old := ann.Clone(), ann.Clone()
	bare.Certificates, old.MinVersion, old.MaxVersion = nil, tls.VersionTLS12, tls.VersionTLS12
	elsewhere, err := mtls.Server(ca.issue("elsewhere", x509.ExtKeyUsageServerAuth, func(c *x509.Certificate) {
		c.IPAddresses, c.DNSNames = nil, []string{"elsewhere.example"}
	}))
	require.NoError(t, err)
	impostor, err := mtls.Server(foreign.issue("host", x509.ExtKeyUsageServerAuth, nil))
	require.NoError(t, err)
	server := good.Clone()
	server.Certificates = []tls.Certificate{ann.Certificates[0]} // a client's certificate does not make a server

	for name, ends := range map[string][2]*tls.Config{
		"a client of another authority":    {good, stranger},
		"a client without a certificate":   {good, bare},
		"an older TLS":                     {good, old},
		"a server of another authority":    {impostor, ann},
		"a server with another name":       {elsewhere, ann},
		"a client that plays the server":   {server, ann},
		"a server that plays the operator": {good, func() *tls.Config { c := ann.Clone(); c.Certificates = good.Certificates; return c }()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atServer, atClient := meet(t, ends[0], ends[1])
			assert.Error(t, atClient)
			assert.Error(t, atServer)
		})
	}
}

func TestFilesThatCannotWorkAreRefusedWhenTheyAreRead(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t, "ca")
	good := ca.issue("host", x509.ExtKeyUsageServerAuth, nil)
	client := ca.issue("ann", x509.ExtKeyUsageClientAuth, nil)
	expired := ca.issue("old", x509.ExtKeyUsageServerAuth, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	early := ca.issue("early", x509.ExtKeyUsageServerAuth, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) })
	open := filepath.Join(ca.dir, "open.key")
	raw, err := os.ReadFile(good.Key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(open, raw, 0o640))
	require.NoError(t, os.Chmod(open, 0o640))
	mixed, empty := filepath.Join(ca.dir, "mixed.pem"), filepath.Join(ca.dir, "empty.pem")
	certificate, err := os.ReadFile(ca.file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(mixed, bytes.Join([][]byte{certificate, raw}, nil), 0o600))
	require.NoError(t, os.WriteFile(empty, []byte("nothing here\n"), 0o600))

	for want, files := range map[string]mtls.Files{
		"no such file":               {Cert: filepath.Join(ca.dir, "none"), Key: good.Key, CA: ca.file},
		"not a regular file":         {Cert: "/dev/null", Key: good.Key, CA: ca.file},
		"(chmod 600)":                {Cert: good.Cert, Key: open, CA: ca.file},
		"private key does not match": {Cert: good.Cert, Key: client.Key, CA: ca.file},
		"expired at":                 {Cert: expired.Cert, Key: expired.Key, CA: ca.file},
		"is not valid before":        {Cert: early.Cert, Key: early.Key, CA: ca.file},
		"is not that of a server":    {Cert: client.Cert, Key: client.Key, CA: ca.file},
		"is not an authority's":      {Cert: good.Cert, Key: good.Key, CA: good.Cert},
		"beside certificates":        {Cert: good.Cert, Key: good.Key, CA: mixed},
		"holds no certificate":       {Cert: good.Cert, Key: good.Key, CA: empty},
	} {
		_, err := mtls.Server(files)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "/", "the file is named")
	}
	_, err = mtls.Client(good)
	assert.ErrorContains(t, err, "is not that of a client")
}
