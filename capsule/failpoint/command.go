package failpoint

import (
	"fmt"
	"strconv"
	"strings"
)

// For returns what of value is meant for a worker of capsule, without the
// capsule's name. It is empty when nothing is.
func For(value, capsule string) string {
	var kept []string
	for command := range strings.SplitSeq(value, ";") {
		head, _, _ := strings.Cut(command, "=")
		name, _, selected := strings.Cut(head, ":")
		if !selected {
			kept = append(kept, command)
		} else if name == capsule {
			kept = append(kept, strings.TrimPrefix(command, name+":"))
		}
	}
	return strings.Join(kept, ";")
}

// command is what happens at one point.
type command struct {
	action string
	arg    string
}

// parse reads a variable's value whose commands name no capsules any more.
func parse(value string) (map[string]command, error) {
	commands := map[string]command{}
	for text := range strings.SplitSeq(value, ";") {
		if text == "" {
			continue
		}
		point, rest, ok := strings.Cut(text, "=")
		if !ok || point == "" {
			return nil, fmt.Errorf("failpoint %q: not point=action", text)
		}
		action, arg, _ := strings.Cut(rest, ":")
		switch action {
		case "kill", "abort", "segv", "stop":
		case "exit":
			if arg == "" {
				arg = "1"
			}
			if _, err := strconv.ParseUint(arg, 10, 8); err != nil {
				return nil, fmt.Errorf("failpoint %q: %q is no exit code", text, arg)
			}
		case "pause":
			if arg == "" {
				return nil, fmt.Errorf("failpoint %q: pause needs a path", text)
			}
		default:
			return nil, fmt.Errorf("failpoint %q: no action %q", text, action)
		}
		commands[point] = command{action: action, arg: arg}
	}
	return commands, nil
}
