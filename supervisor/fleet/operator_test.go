package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/fleet"
)

func TestOperatorsAreServedOverTCPWithAllOfTLSOnly(t *testing.T) {
	t.Parallel()
	const files = "tls: {cert: c.pem, key: /k.pem, client_ca: ca.pem}"
	for name, test := range map[string]struct{ section, field, fault string }{
		"plain TCP":           {`{listen: "tcp://127.0.0.1:7"}`, "operator.listen", "not served over plain TCP"},
		"no client authority": {`{listen: "tcp://127.0.0.1:7", tls: {cert: c, key: k}}`, "operator.tls", "all of cert, key and client_ca"},
		"no port":             {`{listen: "tcp://127.0.0.1", ` + files + `}`, "operator.listen", "not tcp://host:port"},
		"no host":             {`{listen: "tcp://:7000", ` + files + `}`, "operator.listen", "0.0.0.0 for all"},
		"a port out of range": {`{listen: "tcp://h:70000", ` + files + `}`, "operator.listen", "not tcp://host:port"},
		"another scheme":      {`{listen: "http://h:7", ` + files + `}`, "operator.listen", "neither empty nor tcp://host:port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := fleet.Parse("/f/fleet.yaml", []byte("version: 1\noperator: "+test.section+"\n"), fleet.Options{})
			assert.ErrorContains(t, err, test.field+": ")
			assert.ErrorContains(t, err, test.fault)
		})
	}
	f, warnings, err := fleet.Parse("/f/fleet.yaml", []byte("version: 1\noperator: {listen: \"tcp://[::1]:7000\", "+files+"}\n"), fleet.Options{})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, fleet.Operator{Listen: "[::1]:7000", Cert: "/f/c.pem", Key: "/k.pem", ClientCA: "/f/ca.pem"}, f.Operator)

	f, warnings, err = fleet.Parse("/f/fleet.yaml", []byte("version: 1\noperator: {"+files+"}\n"), fleet.Options{})
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Equal(t, fleet.CodeNoEffect, warnings[0].Code)
	assert.Equal(t, fleet.Operator{}, f.Operator, "certificates alone open nothing")
}
