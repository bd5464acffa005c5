package launcher

import "rookery/launcher/proc"

// CloseOnExecAll marks every descriptor from 3 up close-on-exec. The supervisor's main calls it first of all: what it inherited
// itself without that mark would reach every worker.
func CloseOnExecAll() error { return proc.CloseOnExecAll() }
