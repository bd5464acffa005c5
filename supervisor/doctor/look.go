package doctor

import (
	"cmp"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// Options are what the findings are about besides the machine itself.
type Options struct {
	// StateDir is the state folder, which need not exist yet.
	StateDir string
	// Worker is the path of the worker program, WorkerErr why there is none.
	Worker    string
	WorkerErr error
	// MaxLive is how many capsules may live at once; 0: the most that `auto` gives.
	MaxLive int
}

// mostLive is what limits.max_live_capsules: auto is at most.
const mostLive = 256

// Look returns the findings, required ones first.
func Look(o Options) []*operatorv1.Check {
	o.MaxLive = cmp.Or(o.MaxLive, mostLive)
	return []*operatorv1.Check{
		kernelRelease(), openat2(), pidfd(), worker(o), stateFolder(o.StateDir), disk(o.StateDir), addressSpace(),
		user(), peerPIDFD(), landlock(), seccomp(), userNamespaces(), cgroups(), descriptors(o.MaxLive), processes(o.MaxLive), overcommit(),
	}
}

// Fit reports whether everything that is required is there.
func Fit(checks []*operatorv1.Check) bool {
	for _, c := range checks {
		if c.GetRequired() && c.GetState() != operatorv1.CheckState_CHECK_STATE_OK {
			return false
		}
	}
	return true
}

func good(name, detail string) *operatorv1.Check {
	return &operatorv1.Check{Name: name, State: operatorv1.CheckState_CHECK_STATE_OK, Detail: detail}
}

func missing(name, detail, remedy string) *operatorv1.Check {
	return &operatorv1.Check{Name: name, State: operatorv1.CheckState_CHECK_STATE_MISSING, Detail: detail, Remedy: remedy}
}

func required(c *operatorv1.Check) *operatorv1.Check {
	c.Required = true
	return c
}
