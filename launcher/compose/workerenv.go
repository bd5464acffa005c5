package compose

import (
	"strconv"

	"rookery/proto/plugin"
)

// workerProcs bounds the threads that run Go in a worker. One guest runs at a time and the rest is waiting, so two do; many
// workers share the machine.
const workerProcs = 2

// WorkerEnv is the whole environment of a worker: what go-plugin's server reads, and how the Go runtime is to behave. There is
// no PATH and no HOME: a worker starts nothing and owns no files. run is the worker's run folder, where its socket goes.
func WorkerEnv(run string) []string {
	return append([]string{
		plugin.Handshake.MagicCookieKey + "=" + plugin.Handshake.MagicCookieValue,
		// Read only where there are no unix sockets, but the server insists that they be numbers. go-plugin's own values.
		"PLUGIN_MIN_PORT=10000",
		"PLUGIN_MAX_PORT=25000",
		"PLUGIN_PROTOCOL_VERSIONS=" + strconv.Itoa(plugin.Protocol),
		"PLUGIN_UNIX_SOCKET_DIR=" + run,
	}, RuntimeEnv()...)
}

// RuntimeEnv is the part that a process of ours which serves nothing gets as well.
func RuntimeEnv() []string {
	return []string{
		// Without these two the runtime holds two files of the cgroup open, which a worker has no business with.
		"GODEBUG=containermaxprocs=0,updatemaxprocs=0",
		"GOMAXPROCS=" + strconv.Itoa(workerProcs),
		// The first lines of a dump say what happened; all goroutines of it would only fill the log.
		"GOTRACEBACK=single",
	}
}
