package hostapi

import (
	"fmt"
	"net"
	"sync"

	"google.golang.org/grpc/credentials"

	"rookery/capsule/peercred"
)

// maxConnections bounds the connections of one worker: it needs one, and a second for a moment when it asks who listens. Each has places for
// maxAtOnce messages, which are read before the calls they belong to are counted.
const maxConnections = 4

// connections are a server's credentials that count what each process has open.
type connections struct {
	credentials.TransportCredentials

	mu sync.Mutex // guards of
	of map[int]int
}

func newConnections(inner credentials.TransportCredentials) *connections {
	return &connections{TransportCredentials: inner, of: map[int]int{}}
}

// ServerHandshake refuses a process that has as many connections as it may.
func (c *connections) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}
	auth, ok := info.(peercred.AuthInfo)
	if !ok {
		return nil, nil, fmt.Errorf("credentials %s do not name a process", info.AuthType())
	}
	if !c.enter(auth.PID) {
		return nil, nil, fmt.Errorf("process %d has %d connections, at most %d are taken", auth.PID, maxConnections, maxConnections)
	}
	return &counted{Conn: conn, leave: sync.OnceFunc(func() { c.leave(auth.PID) })}, info, nil
}

// Clone is the same: what is counted belongs to the one server.
func (c *connections) Clone() credentials.TransportCredentials { return c }

func (c *connections) enter(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[pid] == maxConnections {
		return false
	}
	c.of[pid]++
	return true
}

func (c *connections) leave(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[pid]--; c.of[pid] == 0 {
		delete(c.of, pid)
	}
}

// counted is a connection that gives its place back when it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
