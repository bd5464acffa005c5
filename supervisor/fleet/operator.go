package fleet

import (
	"net"
	"strconv"
	"strings"
)

// Operator is where operators are served besides the state folder's socket.
type Operator struct {
	// Listen is host:port over TCP, empty for none.
	Listen string
	// Cert and Key are the supervisor's own, ClientCA signs the operators'; absolute paths of PEM files. All are set with Listen.
	Cert, Key, ClientCA string
}

// operator checks where operators are served. What is in the files is looked at when they are used.
func (c *checker) operator(w *operator) Operator {
	listen, tcp := strings.CutPrefix(w.Listen, "tcp://")
	tls := Operator{
		Listen: listen, Cert: c.path("operator.tls.cert", w.TLS.Cert), Key: c.path("operator.tls.key", w.TLS.Key),
		ClientCA: c.path("operator.tls.client_ca", w.TLS.ClientCA),
	}
	switch {
	case w.Listen == "":
		if w.TLS != (operatorTLS{}) {
			c.warnings = append(c.warnings, c.document.Fault("operator.tls", CodeNoEffect, "it has no effect: operator.listen names no tcp://host:port"))
		}
	case !tcp:
		c.bad("operator.listen", "%.80q is neither empty nor tcp://host:port", w.Listen)
	case !hostPort(listen):
		c.bad("operator.listen", "%.80q is not tcp://host:port: name the address (0.0.0.0 for all) and a port", w.Listen)
	case w.TLS == (operatorTLS{}):
		c.fault("operator.listen", CodeMissing, "operators are not served over plain TCP: give operator.tls its cert, key and client_ca, or leave this empty")
	case w.TLS.Cert == "" || w.TLS.Key == "" || w.TLS.ClientCA == "":
		c.fault("operator.tls", CodeMissing, "mutual TLS needs all of cert, key and client_ca")
	default:
		return tls
	}
	return Operator{}
}

func hostPort(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}
