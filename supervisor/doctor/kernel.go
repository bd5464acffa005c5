package doctor

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"rookery/capsule/beneath"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

func kernelRelease() *operatorv1.Check {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return required(missing("kernel", err.Error(), "run on Linux 5.14 or newer"))
	}
	release := unix.ByteSliceToString(u.Release[:])
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil || major < 5 || major == 5 && minor < 14 {
		return required(missing("kernel", "Linux "+release, "run on Linux 5.14 or newer"))
	}
	return required(good("kernel", "Linux "+release))
}

func openat2() *operatorv1.Check {
	if err := beneath.Supported(); err != nil {
		return required(missing("openat2", err.Error(), "run on Linux 5.6 or newer, and let the container's seccomp profile allow openat2"))
	}
	return required(good("openat2", "paths from capsules are resolved beneath their folder by the kernel"))
}

func pidfd() *operatorv1.Check {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return required(missing("pidfd", err.Error(), "run on Linux 5.3 or newer, and let the container's seccomp profile allow pidfd_open"))
	}
	_ = unix.Close(fd)
	return required(good("pidfd", "workers are held and waited for by descriptors"))
}

func peerPIDFD() *operatorv1.Check {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return missing("peer-pidfd", err.Error(), "allow unix sockets")
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	fd, err := unix.GetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err != nil {
		return missing("peer-pidfd", "SO_PEERPIDFD: "+err.Error()+"; a caller is known by its pid and the pidfds that the supervisor holds",
			"run on Linux 6.5 or newer: then a pid that was reused cannot be taken for its owner either")
	}
	_ = unix.Close(fd)
	return good("peer-pidfd", "a caller's process is known by a descriptor of it")
}

// landlockVersion asks landlock_create_ruleset for its ABI; from Linux's uapi/linux/landlock.h.
const landlockVersion = 1

func landlock() *operatorv1.Check {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, landlockVersion)
	if errno != 0 {
		return missing("landlock", errno.Error()+"; for the class sealed, which this build does not have yet",
			"build the kernel with CONFIG_SECURITY_LANDLOCK and name landlock in lsm=")
	}
	return good("landlock", fmt.Sprintf("ABI %d; for the class sealed, which this build does not have yet", abi))
}

func seccomp() *operatorv1.Check {
	if _, err := os.Stat("/proc/sys/kernel/seccomp/actions_avail"); err != nil {
		return missing("seccomp", "the kernel has no seccomp filters; for the class sealed, which this build does not have yet",
			"build the kernel with CONFIG_SECCOMP_FILTER")
	}
	return good("seccomp", "filters are available; for the class sealed, which this build does not have yet")
}

// userNamespaces reads the settings; trying would take a new process.
func userNamespaces() *operatorv1.Check {
	const use = "for the class sealed, which this build does not have yet"
	if n, err := number("/proc/sys/user/max_user_namespaces"); err != nil || n == 0 {
		return missing("user-namespaces", "the kernel allows none; "+use, "sysctl user.max_user_namespaces=15000, or run as root")
	}
	for _, off := range []struct {
		path string
		bad  int64
	}{
		{"/proc/sys/kernel/unprivileged_userns_clone", 0},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1},
	} {
		if n, err := number(off.path); err == nil && n == off.bad && os.Geteuid() != 0 {
			name := strings.ReplaceAll(strings.TrimPrefix(off.path, "/proc/sys/"), "/", ".")
			return missing("user-namespaces", fmt.Sprintf("%s is %d; %s", name, n, use), fmt.Sprintf("sysctl %s=%d", name, 1-off.bad))
		}
	}
	return good("user-namespaces", "allowed; "+use)
}

func cgroups() *operatorv1.Check {
	const use = "for limits of memory and processor by capsule, which this build does not set yet"
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return missing("cgroups", err.Error(), "mount /proc")
	}
	at, unified := strings.CutPrefix(lastLine(string(raw)), "0::")
	controllers, err := os.ReadFile("/sys/fs/cgroup" + at + "/cgroup.controllers")
	switch {
	case !unified || err != nil:
		return missing("cgroups", "there is no cgroup v2 hierarchy here; "+use, "boot with the unified hierarchy (systemd.unified_cgroup_hierarchy=1)")
	case !strings.Contains(string(controllers), "memory"):
		return missing("cgroups", "the memory controller is not delegated; "+use, "in the systemd unit: Delegate=memory pids cpu")
	case unix.Access("/sys/fs/cgroup"+at, unix.W_OK) != nil:
		return missing("cgroups", "this process may not make groups beneath "+at+"; "+use, "in the systemd unit: Delegate=yes")
	}
	return good("cgroups", "version 2, delegated: "+strings.TrimSpace(string(controllers))+"; "+use)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// number reads a setting of the kernel.
func number(path string) (int64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	text := strings.TrimSpace(string(raw))
	if text == "max" {
		return 0, errors.New("no limit")
	}
	return strconv.ParseInt(text, 10, 64)
}
