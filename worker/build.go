package main

import "runtime/debug"

// build names the version of this program, as the go command stamped it.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}
