package compose

import (
	"context"
	"fmt"
	"net"
)

// OpenDoor opens the listener of a capsule's door, on a loopback port of the kernel's choice, and returns its URL
// (http://host:port). The port is taken from here on: a worker inherits the listener and has nothing to bind.
func OpenDoor(ctx context.Context) (*net.TCPListener, string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, "", fmt.Errorf("open a door: %w", err)
	}
	return listener.(*net.TCPListener), "http://" + listener.Addr().String(), nil
}
