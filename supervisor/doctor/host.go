package doctor

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

func worker(o Options) *operatorv1.Check {
	if o.WorkerErr != nil {
		return required(missing("worker", o.WorkerErr.Error(), "build it (`./dev build`) and keep both programs in one folder"))
	}
	return required(good("worker", o.Worker))
}

// leastDisk is what a start needs: native code of some capsules, records and logs of a few sessions.
const leastDisk = 256 << 20

func disk(dir string) *operatorv1.Check {
	at := nearest(dir)
	var fs unix.Statfs_t
	if err := unix.Statfs(at, &fs); err != nil {
		return required(missing("disk", fmt.Sprintf("%s: %v", at, err), "name another folder in state_dir or --state"))
	}
	free := fs.Bavail * uint64(fs.Bsize)
	detail := fmt.Sprintf("%d MiB free at %s", free>>20, at)
	if free < leastDisk {
		return required(missing("disk", detail, fmt.Sprintf("make room: records, logs and native code want at least %d MiB", leastDisk>>20)))
	}
	return required(good("disk", detail))
}

// leastAddresses is what one worker reserves, with room: 4 GiB for its guest's memory and two guards of 2 GiB (see worker/sandbox).
const leastAddresses = 16 << 30

func addressSpace() *operatorv1.Check {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil {
		return required(missing("address-space", err.Error(), "allow getrlimit"))
	}
	if limit.Cur < leastAddresses {
		return required(missing("address-space", fmt.Sprintf("a process may have %d MiB of addresses", limit.Cur>>20),
			"ulimit -v unlimited (LimitAS=infinity in a systemd unit): the engine reserves addresses it does not use"))
	}
	return required(good("address-space", "enough for the engine's reservations"))
}

func user() *operatorv1.Check {
	if uid := os.Geteuid(); uid != 0 {
		return good("user", fmt.Sprintf("uid %d, without privileges", uid))
	}
	return missing("user", "uid 0: a worker that an engine fault took over would be root", "run the supervisor as a user of its own")
}

// What one live capsule costs the supervisor: descriptors of its pidfd, its door, its connections and its logs, with room; and the
// threads of its own process.
const (
	descriptorsEach = 16
	threadsEach     = 16
	ownDescriptors  = 128
)

func descriptors(live int) *operatorv1.Check {
	want := uint64(live*descriptorsEach + ownDescriptors)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return missing("descriptors", err.Error(), "allow getrlimit")
	}
	// Go raises the soft limit to the hard one by itself.
	if limit.Max < want {
		return missing("descriptors", fmt.Sprintf("a process may open %d files; %d live capsules want %d", limit.Max, live, want),
			fmt.Sprintf("ulimit -Hn %d (LimitNOFILE=%d in a systemd unit), or lower limits.max_live_capsules", want, want))
	}
	return good("descriptors", fmt.Sprintf("a process may open %d files; %d live capsules want %d", limit.Max, live, want))
}

func processes(live int) *operatorv1.Check {
	want := uint64(live * threadsEach)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
		return missing("processes", err.Error(), "allow getrlimit")
	}
	if limit.Cur < want && os.Geteuid() != 0 { // root is not counted
		return missing("processes", fmt.Sprintf("this user may have %d threads; %d live capsules want %d", limit.Cur, live, want),
			fmt.Sprintf("ulimit -u %d (LimitNPROC=%d in a systemd unit), or lower limits.max_live_capsules", want, want))
	}
	return good("processes", fmt.Sprintf("%d live capsules want %d threads", live, want))
}

func overcommit() *operatorv1.Check {
	if n, err := number("/proc/sys/vm/overcommit_memory"); err == nil && n == 2 {
		return missing("overcommit", "vm.overcommit_memory is 2: reserved addresses count as memory", "sysctl vm.overcommit_memory=0")
	}
	return good("overcommit", "reserved addresses do not count as memory")
}
