package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// CloseOnExecAll marks every descriptor from 3 up close-on-exec. A program calls it first of all: what it inherited itself
// without that mark would reach every process it starts.
func CloseOnExecAll() error {
	const first, last = 3, ^uint(0) >> 32 // close_range(2) takes unsigned ints
	if err := unix.CloseRange(first, last, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("mark inherited descriptors close-on-exec: %w", err)
	}
	return nil
}
