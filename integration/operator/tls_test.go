package operator_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// authority signs certificates in a folder of its own.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a := &authority{t: t, dir: rig.Dir(t), key: key, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	a.put("ca.pem", "CERTIFICATE", a.sign(a.cert, key))
	return a
}

func (a *authority) sign(c *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	require.NoError(a.t, err)
	return der
}

func (a *authority) put(name, kind string, der []byte) {
	a.t.Helper()
	require.NoError(a.t, os.WriteFile(filepath.Join(a.dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// issue makes name.pem and name.key.
func (a *authority) issue(name string, use x509.ExtKeyUsage) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	a.put(name+".pem", "CERTIFICATE", a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{use},
	}, key))
	der, err := x509.MarshalECPrivateKey(key)
	require.NoError(a.t, err)
	a.put(name+".key", "EC PRIVATE KEY", der)
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

// flags name a certificate on the command line.
func (a *authority) flags(address, name, ca string) []string {
	return []string{"--operator", address, "--tls-cert", a.path(name + ".pem"), "--tls-key", a.path(name + ".key"), "--tls-ca", ca}
}

func (a *authority) fleet() rig.Fleet {
	f := sleeper()
	f.Operator = map[string]any{"listen": "tcp://127.0.0.1:0", "tls": map[string]any{
		"cert": a.path("host.pem"), "key": a.path("host.key"), "client_ca": a.path("ca.pem"),
	}}
	return f
}

var served = regexp.MustCompile(`"operator":"(tcp://127\.0\.0\.1:\d+)"`)

func TestOperatorsAreServedOverTCPByCertificateOnly(t *testing.T) {
	t.Parallel()
	ca, foreign := newAuthority(t), newAuthority(t)
	ca.issue("host", x509.ExtKeyUsageServerAuth)
	ca.issue("ann", x509.ExtKeyUsageClientAuth)
	foreign.issue("bob", x509.ExtKeyUsageClientAuth)
	h := rig.Up(t, ca.fleet())
	found := served.FindStringSubmatch(h.Log())
	require.NotNil(t, found, h.Log())
	address := found[1]
	elsewhere := rig.Dir(t) // no state folder, no fleet file
	ask := func(flags []string, args ...string) rig.Said {
		return rig.Command(t, elsewhere, []string{"HOME=" + elsewhere}, append(args, flags...)...)
	}

	said := ask(ca.flags(address, "ann", ca.path("ca.pem")), "ps", "-o", "table")
	require.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, said.Stdout, "sleep@0.1.0")
	session := h.RootSession("sleep").GetSessionId()
	said = ask(ca.flags(address, "ann", ca.path("ca.pem")), "trace", session, "-o", "table")
	require.Equal(t, 0, said.Code, said.Stderr)
	said = ask(ca.flags(address, "ann", ca.path("ca.pem")), "stop", session, "-o", "table")
	require.Equal(t, 0, said.Code, said.Stderr)
	assert.Contains(t, h.Log(), `"by":"CN=ann at 127.0.0.1:`, "the log says by whose certificate")
	assert.Equal(t, 0, h.CLI("ps").Code, "the socket stays besides")

	said = ask(foreign.flags(address, "bob", ca.path("ca.pem")), "ps")
	assert.Equal(t, 2, said.Code, "a client of another authority: %s", said.Stderr)
	assert.Contains(t, said.Stderr, "certificates")
	assert.Empty(t, said.Stdout)
	said = ask(ca.flags(address, "ann", foreign.path("ca.pem")), "ps")
	assert.Equal(t, 2, said.Code, "a server of another authority: %s", said.Stderr)
	assert.Contains(t, said.Stderr, "certificate signed by unknown authority")
	said = ask([]string{"--operator", address}, "ps")
	assert.Equal(t, 2, said.Code)
	assert.Contains(t, said.Stderr, "plain TCP is not spoken")
	said = ask(ca.flags("tcp://127.0.0.1:1", "ann", ca.path("ca.pem")), "ps", "--all")
	assert.Equal(t, 3, said.Code, said.Stderr)

	conn, err := grpc.NewClient(address[len("tcp://"):], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	_, err = operatorv1.NewOperatorServiceClient(conn).GetHost(ctx, &operatorv1.GetHostRequest{})
	assert.Error(t, err, "plain gRPC gets no answer")
}

func TestCertificatesThatCannotWorkAreAFaultOfTheFleet(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	ca.issue("host", x509.ExtKeyUsageClientAuth) // the wrong end's
	h := rig.Start(t, ca.fleet())
	assert.Equal(t, 2, h.Exit(rig.Soon))
	assert.Contains(t, h.Log(), "is not that of a server")
	said := h.CLI("validate", "-f", h.FleetFile())
	assert.Equal(t, 1, said.Code)
	assert.Contains(t, said.Stdout, "operator.tls: certificate "+ca.path("host.pem"))

	plain := sleeper()
	plain.Operator = map[string]any{"listen": "tcp://127.0.0.1:0"}
	h = rig.Start(t, plain)
	assert.Equal(t, 2, h.Exit(rig.Soon))
	assert.Contains(t, h.Log(), "operators are not served over plain TCP")
}
