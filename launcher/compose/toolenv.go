package compose

import "rookery/proto/plugin"

// ToolEnv is the whole environment of the worker program when it serves nothing: `worker compile` and `worker engine-key`. It holds
// the cookie, without which the program takes itself for started by hand.
func ToolEnv() []string {
	return append([]string{plugin.Handshake.MagicCookieKey + "=" + plugin.Handshake.MagicCookieValue}, RuntimeEnv()...)
}
