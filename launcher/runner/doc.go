// Package runner lets go-plugin speak to a worker process that we have started ourselves. It is the launcher's only user of
// go-plugin.
//
// Promised: [Client.Connect] ends when its context does, whatever the worker does or leaves undone; nothing is dialled but a
// unix socket in the worker's own run folder, and nothing is said to it unless the worker itself listens there; of the
// library's own streams (broker, standard output) none is opened; a worker can make the supervisor read no more than a
// handshake's worth of its output, and no message beyond [MaxMessage].
//
// Not promised: that go-plugin's errors tell failures apart. They do not; [Client.Spoken] and the process's own exit do.
//
// Only launcher may call it. [Client.Close] comes after the end of the process: the library's own ways to end one block on a
// worker that has stopped.
package runner
