package main

import (
	"errors"

	"golang.org/x/sys/unix"

	"rookery/proto/plugin"
)

// passGate waits for the one byte that opens the start gate. It reports false when
// the supervisor has died instead: then nothing may run.
func passGate() bool {
	var one [1]byte
	for {
		n, err := unix.Read(plugin.FDGate, one[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		_ = unix.Close(plugin.FDGate)
		return err == nil && n == 1
	}
}
