package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Identity is one process for all time: pids come back, start times and boots do not.
type Identity struct {
	// PID is the process id in the supervisor's pid namespace.
	PID int
	// StartTime is field 22 of /proc/PID/stat: clock ticks since boot.
	StartTime uint64
	// BootID is /proc/sys/kernel/random/boot_id of the boot it was started in.
	BootID string
}

// BootID returns the id of this boot.
func BootID() (string, error) { return bootID() }

var bootID = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("boot id: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
})

// identify describes the process pid, which must be known not to be reaped yet.
func identify(pid int) (Identity, error) {
	boot, err := BootID()
	if err != nil {
		return Identity{}, err
	}
	started, err := startTime(pid)
	if err != nil {
		return Identity{}, err
	}
	return Identity{PID: pid, StartTime: started, BootID: boot}, nil
}

func startTime(pid int) (uint64, error) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, fmt.Errorf("start time of pid %d: %w", pid, err)
	}
	started, err := parseStartTime(line)
	if err != nil {
		return 0, fmt.Errorf("start time of pid %d: %w", pid, err)
	}
	return started, nil
}

var errStat = errors.New("/proc/PID/stat is not as proc(5) describes it")

// parseStartTime finds field 22. The second field is the program's name in parentheses, which may hold anything, further
// parentheses and spaces included: counting starts after the last one.
func parseStartTime(stat []byte) (uint64, error) {
	_, rest, found := cutLast(stat, ')')
	if !found {
		return 0, errStat
	}
	const third = 3 // the field that follows the name
	fields := bytes.Fields(rest)
	if len(fields) <= 22-third {
		return 0, errStat
	}
	started, err := strconv.ParseUint(string(fields[22-third]), 10, 64)
	if err != nil {
		return 0, errStat
	}
	return started, nil
}

func cutLast(text []byte, separator byte) (before, after []byte, found bool) {
	at := bytes.LastIndexByte(text, separator)
	if at < 0 {
		return text, nil, false
	}
	return text[:at], text[at+1:], true
}
