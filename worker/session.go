package main

import (
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/rs/zerolog"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	"rookery/capsule/linelog"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/egress"
	"rookery/worker/internal/wasm"
	"rookery/worker/tasks"
)

// newSession makes the session out of the assignment and the inherited descriptors.
func newSession(r *workerv1.AssignRequest, log zerolog.Logger) (*tasks.Session, error) {
	session := r.GetSession()
	if !id.Session.Valid(session.GetSessionId()) || !id.Task.Valid(r.GetTask().GetTaskId()) {
		return nil, fmt.Errorf("assign: session %q or task %q is no id", session.GetSessionId(), r.GetTask().GetTaskId())
	}
	inherited := os.NewFile(plugin.FDDoor, "door")
	listener, err := net.FileListener(inherited)
	if err != nil {
		return nil, fmt.Errorf("assign: the door: %w", err)
	}
	if err := inherited.Close(); err != nil { // the listener is a copy
		return nil, fmt.Errorf("assign: the door: %w", err)
	}
	mounts := make([]int, len(r.GetFilesystem().GetMounts()))
	for i := range mounts {
		mounts[i] = plugin.FDCount + i
	}
	return tasks.New(tasks.Config{
		Mounts:   mounts,
		Assigned: r,
		Load:     load,
		HostSock: hostSock(),
		Door:     listener,
		// Names for errors; the paths are not this process's business.
		Work:        beneath.FromFD(plugin.FDWork, "."),
		Runtime:     beneath.FromFD(plugin.FDRuntime, "murmur-runtime"),
		Records:     beneath.FromFD(plugin.FDRecords, "records"),
		Stdout:      guestLog(plugin.FDGuestStdout, "guest.stdout"),
		Stderr:      guestLog(plugin.FDGuestStderr, "guest.stderr"),
		Post:        egress.New(),
		Containment: containment,
		Log:         log.With().Str("session", session.GetSessionId()).Str("capsule", session.GetCapsule()).Logger(),
		Exit:        syscall.Exit,
	})
}

// load maps the native code, whose digest the supervisor has verified on this descriptor.
func load() (tasks.Executor, error) {
	executor, err := wasm.Load(plugin.FDNative)
	if err != nil {
		return nil, err
	}
	return executor, nil
}

func guestLog(fd uintptr, name string) *linelog.Log {
	return linelog.New(os.NewFile(fd, name), linelog.DefaultMaxBytes, linelog.DefaultMaxLine)
}
