package layout

import (
	"fmt"
	"path/filepath"
)

// State is a state folder.
type State struct {
	// Root is its absolute path.
	Root string
}

const (
	// maxSocketPath is what the kernel's sun_path (108 bytes) holds before its
	// final NUL.
	maxSocketPath = 107
	// longestSocket is the longest path of a socket beneath the root: go-plugin
	// names its socket "plugin" and up to ten digits, in a worker's run folder.
	longestSocket = "run/w/00000000/plugin0000000000"
	// MaxRoot is the longest root, in bytes, under which every socket can be bound.
	MaxRoot = maxSocketPath - len("/"+longestSocket)
)

// Check returns an error with the length and the limit when a socket beneath the
// root would have a longer path than the kernel takes.
func (s State) Check() error {
	if len(s.Root) > MaxRoot {
		return fmt.Errorf("state folder %s: its path is %d bytes long, at most %d leave room for the sockets beneath it (a socket's path holds %d)",
			s.Root, len(s.Root), MaxRoot, maxSocketPath)
	}
	return nil
}

func (s State) path(parts ...string) string {
	return filepath.Join(append([]string{s.Root}, parts...)...)
}

// DB is the ledger's file.
func (s State) DB() string { return s.path("state.db") }

// Lock is the file whose lock says that a supervisor runs on this state; it holds
// that supervisor's pid.
func (s State) Lock() string { return s.path("supervisor.lock") }

// Up is the mark of a fleet that is up, or was when its supervisor died; a clean
// stop removes it.
func (s State) Up() string { return s.path("fleet.up") }

// Trash holds what is being removed: out of its place in one step, then at leisure.
func (s State) Trash() string { return s.path("trash") }

// RunDir holds sockets only; nothing in it outlives a supervisor and its workers.
func (s State) RunDir() string { return s.path("run") }

// OperatorSock is where operators reach the supervisor.
func (s State) OperatorSock() string { return s.path("run", "operator.sock") }

// HostDir is the folder whose descriptor workers get to reach the supervisor.
func (s State) HostDir() string { return s.path("run", "h") }

// HostSock is where workers reach the supervisor.
func (s State) HostSock() string { return s.path("run", "h", HostSockName) }

// FDSock is where workers and the supervisor hand each other descriptors.
func (s State) FDSock() string { return s.path("run", "h", FDSockName) }

// WorkerRun is one worker's folder for its plugin socket. hex8 is eight hex
// digits of the launcher's choice: ids are too long for a socket's path.
func (s State) WorkerRun(hex8 string) string { return s.path("run", "w", hex8) }

// Modules is the native-code cache.
func (s State) Modules() string { return s.path("modules") }

// Module is one entry of the native-code cache.
func (s State) Module(key string) string { return s.path("modules", key+".cwasm") }

// Records is a session's records folder: written by its worker, out of its
// guest's reach, kept after the end.
func (s State) Records(capsule, ses string) string { return s.path("records", capsule, ses) }

// Lineage is the file in which the supervisor keeps who spawned a session, out of
// the worker's reach.
func (s State) Lineage(capsule, ses string) string { return s.path("records", capsule, ses+".json") }

// Sessions is a session's own folder, removed when the session has ended.
func (s State) Sessions(ses string) string { return s.path("sessions", ses) }

// Runtime is what the capsule sees as murmur-runtime/.
func (s State) Runtime(ses string) string { return s.path("sessions", ses, "runtime") }

// Work is the work folder of a session that was given none of its own.
func (s State) Work(ses string) string { return s.path("work", ses) }
