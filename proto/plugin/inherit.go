package plugin

// Descriptors a worker inherits, by number. 0 is /dev/null, 1 the pipe that carries go-plugin's handshake line, 2 the worker's
// own log. A worker reaches nothing by walking to a path: what it may touch is here.
const (
	// FDGate is the read end of the start gate: one byte opens it, end of file means exit.
	FDGate = 3 + iota
	// FDDoor is the door's listening socket, opened by the supervisor.
	FDDoor
	// FDWork is the work folder.
	FDWork
	// FDRuntime is what the capsule sees as murmur-runtime/.
	FDRuntime
	// FDRecords is the session's records folder.
	FDRecords
	// FDRun is the worker's own run folder, where its plugin socket lies.
	FDRun
	// FDHost is the folder that holds host.sock.
	FDHost
	// FDNative is the native code of the capsule's module, its digest verified on this descriptor.
	FDNative
	// FDGuestStdout and FDGuestStderr are the guest's two logs, opened for appending.
	FDGuestStdout
	FDGuestStderr
	// FDCount is one past the last descriptor that every worker inherits. The folders of the host that its capsule sees
	// follow from here on, in the order of the assignment's mounts.
	FDCount
)

// HostSock is the name of the Host service's socket beneath FDHost.
const HostSock = "host.sock"

// Exit codes of the worker program. The outcome is never read from them: they only say why a process without a record left.
const (
	// ExitDone is a session that ended and left its record.
	ExitDone = 0
	// ExitGo is the Go runtime's own: a panic, or a fatal signal.
	ExitGo = 2
	// ExitByHand is a worker that nobody launched.
	ExitByHand = 64
	// ExitNeverServed is a plugin server that could not start.
	ExitNeverServed = 65
	// ExitNoHello is a worker whose supervisor never spoke.
	ExitNoHello = 66
	// ExitGateClosed is a worker whose supervisor died before the gate opened: nothing ran.
	ExitGateClosed = 67
	// ExitRecord is a session whose record could not be written.
	ExitRecord = 68
	// ExitEnded is a worker that was asked to end.
	ExitEnded = 69
	// ExitSealed is a worker that could not contain itself as told.
	ExitSealed = 70
	// ExitWatchdog is a worker whose own watchdog ended it: its guest did not stop in time.
	ExitWatchdog = 71
)
