package runner

import (
	"fmt"
	"slices"
	"strings"
)

// socketDir is the one variable whose value is ours and not the library's.
const socketDir = "PLUGIN_UNIX_SOCKET_DIR"

// sameEnv checks that a process which was given one environment was told what the library wanted to tell it. A newer library
// that wants more must not be overlooked.
func sameEnv(wanted, given []string) error {
	for _, variable := range wanted {
		name, _, _ := strings.Cut(variable, "=")
		if name != socketDir && !slices.Contains(given, variable) {
			return fmt.Errorf("the plugin library asks for %s, which the worker was not given", name)
		}
	}
	return nil
}
