package hostapi

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/capsule/peercred"
)

func TestAWorkerThatConnectsWithoutEndIsRefusedUntilItClosesSomething(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	c := newConnections(peercred.Server(func(int, uint32) error { return nil }))
	connect := func() (net.Conn, error) {
		near, err := net.Dial("unix", listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = near.Close() })
		far, err := listener.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { _ = far.Close() })
		conn, _, err := c.ServerHandshake(far)
		return conn, err
	}
	var open []net.Conn
	for range maxConnections {
		conn, err := connect()
		require.NoError(t, err)
		open = append(open, conn)
	}
	_, err = connect()
	require.ErrorContains(t, err, "4 connections, at most 4 are taken")
	require.NoError(t, open[0].Close())
	_ = open[0].Close() // a place is given back once
	_, err = connect()
	require.NoError(t, err)
	_, err = connect()
	require.Error(t, err)
}
