package rig

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Workers are the processes whose environment names this host's run folder: its workers, and nothing else.
func (h *Host) Workers() []int {
	var found []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && bytes.Contains(env, []byte("PLUGIN_UNIX_SOCKET_DIR="+h.State.Root+"/")) {
			found = append(found, pid)
		}
	}
	return found
}

// Environ is the environment that a process was given.
func Environ(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00"), nil
}

// Gone tells whether no process has this pid: not even one that nobody has waited for.
func Gone(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return os.IsNotExist(err)
}

// Alive tells whether a process runs: one that has ended and that nobody has waited for does not.
func Alive(pid int) bool {
	state := state(pid)
	return state != "" && state != "Z" && state != "X"
}

// Stopped tells whether a process has come to a halt after SIGSTOP, which takes a moment.
func Stopped(pid int) bool { return state(pid) == "T" }

// state is the letter by which the kernel shows a process's state, empty when there is no such process.
func state(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name in parentheses may hold anything; the state follows the last one.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// Listening are the addresses, "127.0.0.1:port", of the TCP sockets that a process holds and listens on.
func Listening(pid int) ([]string, error) {
	mine := map[string]bool{}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return nil, err
	}
	for _, fd := range fds {
		link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if inode, ok := strings.CutPrefix(link, "socket:["); err == nil && ok {
			mine[strings.TrimSuffix(inode, "]")] = true
		}
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(table)) {
		// sl local rem st tx:rx tr:when retrnsmt uid timeout inode; state 0A is LISTEN.
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != "0A" || !mine[f[9]] {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		port, err := strconv.ParseUint(hex, 16, 16)
		if err != nil {
			return nil, err
		}
		found = append(found, fmt.Sprintf("127.0.0.1:%d", port))
	}
	return found, nil
}

// Connected is how many TCP connections to a URL's address this machine has.
func Connected(t testing.TB, url string) int {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	table, err := os.ReadFile("/proc/net/tcp")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(table)) {
		// The caller's side: its remote address, and state 01 is ESTABLISHED.
		f := strings.Fields(line)
		if len(f) > 3 && f[3] == "01" && strings.HasSuffix(f[2], fmt.Sprintf(":%04X", number)) {
			n++
		}
	}
	return n
}

// Descriptors is how many a process holds.
func Descriptors(pid int) (int, error) {
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(fds), err
}

// Send sends a process a signal. One that has ended meanwhile is no error: tests kill at random moments.
func Send(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH {
		return err
	}
	return nil
}
