package fleet

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Rate is so many in a time, written "120/m".
type Rate struct {
	Count int
	// Per is a second, a minute or an hour.
	Per time.Duration
}

// rateUnits are the words behind the slash.
var rateUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// maxCount bounds every number of things in a fleet file. It is above anything a
// host can do, and far below where a sum would overflow.
const maxCount = 1_000_000

// UnmarshalText reads a rate; none and negative ones are refused.
func (r *Rate) UnmarshalText(text []byte) error {
	number, unit, _ := strings.Cut(string(text), "/")
	count, err := strconv.ParseUint(number, 10, 31)
	per, known := rateUnits[unit]
	if err != nil || !known || count == 0 || count > maxCount {
		return fmt.Errorf(`%.40q is not a rate: write a number from 1 to %d by the second, minute or hour, like "120/m"`, text, maxCount)
	}
	*r = Rate{Count: int(count), Per: per}
	return nil
}

// PerMinute is the rate in delegations a minute.
func (r Rate) PerMinute() float64 {
	return float64(r.Count) * float64(time.Minute) / float64(r.Per)
}

// count is a number that may be left to the host, as auto.
type count struct {
	given bool
	value int
}

// UnmarshalText reads "auto" or a whole number above zero.
func (c *count) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*c = count{}
		return nil
	}
	value, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil || value == 0 || value > maxCount {
		return fmt.Errorf("%.40q is neither auto nor a whole number from 1 to %d", text, maxCount)
	}
	*c = count{given: true, value: int(value)}
	return nil
}

// What auto means: eight live capsules for each core this process may use, and
// not fewer or more than these.
const (
	capsulesPerCore = 8
	fewestCapsules  = 16
	mostCapsules    = 256
)

// capsules is the number, for a machine of so many cores.
func (c count) capsules(cores int) int {
	if c.given {
		return c.value
	}
	return min(max(cores*capsulesPerCore, fewestCapsules), mostCapsules)
}

// Cores is what max_live_capsules: auto counts with.
func Cores() int { return runtime.NumCPU() }
