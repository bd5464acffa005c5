package crash

import (
	"strings"

	"rookery/capsule/outcome"
	"rookery/launcher/proc"
	"rookery/proto/plugin"
)

// Lines is how many of the guest's last lines a detail quotes.
const Lines = 20

// Detail words a crash: the exit status; the dump's first line, or what the worker's own exit code means; then, a line each,
// as many of the guest's last lines as fit a detail.
func Detail(exit proc.ExitState, dumpLine string, stderrTail []string) string {
	detail := exit.String()
	if dumpLine == "" && exit.Signal == 0 {
		dumpLine = meanings[exit.Code]
	}
	if dumpLine != "" {
		detail += ": " + dumpLine
	}
	return outcome.BoundDetail(detail + fitting(stderrTail, outcome.MaxDetailBytes-len(detail)))
}

// fitting joins the last of the lines that fit into room, each with a newline before it.
func fitting(lines []string, room int) string {
	first := len(lines)
	for first > 0 && len(lines)-first < Lines {
		room -= 1 + len(lines[first-1])
		if room < 0 {
			break
		}
		first--
	}
	if first == len(lines) {
		return ""
	}
	return "\n" + strings.Join(lines[first:], "\n")
}

// meanings say what a worker means by its own exit codes. Those that come with a record are not here.
var meanings = map[int]string{
	plugin.ExitByHand:      "the worker did not find what a launched one is given",
	plugin.ExitNeverServed: "the worker could not serve",
	plugin.ExitNoHello:     "the supervisor never spoke to the worker",
	plugin.ExitGateClosed:  "the supervisor was gone before the worker began",
	plugin.ExitRecord:      "the record could not be written",
	plugin.ExitSealed:      "the worker could not contain itself as told",
	plugin.ExitWatchdog:    "the guest did not stop in time",
}
