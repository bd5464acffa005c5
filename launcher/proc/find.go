package proc

import "fmt"

// Find holds the process that has the pid now, for whoever learnt the pid from the kernel a moment ago and nothing else of it: the holder
// asks the kernel again before it believes that it is the same. Errors are Verify's.
func Find(pid int) (*Handle, error) {
	id, err := identify(pid)
	if err != nil {
		return nil, fmt.Errorf("pid %d: %w", pid, err)
	}
	return Verify(id)
}
