package main

import "runtime/debug"

// version is stamped by ./dev at link time.
var version string

// build names the version of this program: what ./dev has stamped, or else what the go
// command knows.
func build() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}
