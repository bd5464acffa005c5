package mtls

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Files are one end's own certificate and key, and the authority that signs the other end's.
type Files struct{ Cert, Key, CA string }

// maxFile bounds a PEM file; a chain of certificates takes some KiB.
const maxFile = 1 << 20

// Server returns the configuration of an end that listens.
func Server(f Files) (*tls.Config, error) {
	own, pool, err := load(f, x509.ExtKeyUsageServerAuth)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}, nil
}

// Client returns the configuration of an end that dials. The name it checks is the one dialed.
func Client(f Files) (*tls.Config, error) {
	own, pool, err := load(f, x509.ExtKeyUsageClientAuth)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{own}, RootCAs: pool}, nil
}

func load(f Files, use x509.ExtKeyUsage) (tls.Certificate, *x509.CertPool, error) {
	own, err := pair(f.Cert, f.Key, use)
	if err != nil {
		return own, nil, err
	}
	pool, err := authority(f.CA)
	return own, pool, err
}

// pair reads a certificate with its key and refuses one that the other end would.
func pair(cert, key string, use x509.ExtKeyUsage) (tls.Certificate, error) {
	certPEM, err := read(cert, false)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate %s: %w", cert, err)
	}
	keyPEM, err := read(key, true)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("key %s: %w", key, err)
	}
	own, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return own, fmt.Errorf("certificate %s with key %s: %w", cert, key, err)
	}
	if err := valid(own.Leaf, time.Now()); err != nil {
		return own, fmt.Errorf("certificate %s: %w", cert, err)
	}
	for _, u := range own.Leaf.ExtKeyUsage {
		if u == use || u == x509.ExtKeyUsageAny {
			return own, nil
		}
	}
	if len(own.Leaf.ExtKeyUsage) == 0 {
		return own, nil // for every use
	}
	end := "a client"
	if use == x509.ExtKeyUsageServerAuth {
		end = "a server"
	}
	return own, fmt.Errorf("certificate %s: its extended key usage is not that of %s", cert, end)
}

// authority reads the certificates that sign the other end's.
func authority(file string) (*x509.CertPool, error) {
	raw, err := read(file, false)
	if err != nil {
		return nil, fmt.Errorf("certificate authority %s: %w", file, err)
	}
	pool, count := x509.NewCertPool(), 0
	for rest := raw; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("certificate authority %s: it holds a %.40q beside certificates", file, block.Type)
		}
		ca, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate authority %s: %w", file, err)
		}
		if !ca.IsCA {
			return nil, fmt.Errorf("certificate authority %s: the certificate of %.80q is not an authority's", file, ca.Subject)
		}
		if err := valid(ca, time.Now()); err != nil {
			return nil, fmt.Errorf("certificate authority %s: %w", file, err)
		}
		pool.AddCert(ca)
		count++
	}
	if count == 0 {
		return nil, fmt.Errorf("certificate authority %s: it holds no certificate in PEM", file)
	}
	return pool, nil
}

func valid(c *x509.Certificate, now time.Time) error {
	switch {
	case now.After(c.NotAfter):
		return fmt.Errorf("it expired at %s", c.NotAfter.UTC().Format(time.RFC3339))
	case now.Before(c.NotBefore):
		return fmt.Errorf("it is not valid before %s", c.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}

// read reads a bounded regular file. A secret one must be closed to everyone but its owner, as a login key must. Errors do not name the
// file: callers do.
func read(path string, secret bool) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		var located *os.PathError
		if errors.As(err, &located) {
			err = located.Err
		}
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case secret && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("its mode is %04o: others than its owner may read or change it (chmod 600)", info.Mode().Perm())
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("more than %d bytes", maxFile)
	}
	return raw, err
}
