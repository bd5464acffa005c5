package hostlink

import (
	"context"
	"fmt"

	"rookery/capsule/peercred"
)

// Listener returns the pid of the process that listens at path, a unix socket.
// The worker takes plugin connections from that process only.
func Listener(ctx context.Context, path string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := dial(ctx, path)
	if err != nil {
		return 0, fmt.Errorf("who listens at %s: %w", path, err)
	}
	defer conn.Close()
	pid, _, err := peercred.Of(conn)
	if err != nil {
		return 0, fmt.Errorf("who listens at %s: %w", path, err)
	}
	return pid, nil
}
