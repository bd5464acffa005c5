package compose

import (
	"strings"

	"rookery/capsule/handle"
)

// Guest is what a guest's environment is made of.
type Guest struct {
	// Allow is the capsule's own env.allow, whose order and names decide.
	Allow []string
	// Values is what is there to be let through: for a root what the fleet file gives, for a child what its parent has.
	Values map[string]string
	// SessionID to ContextID are told under the runtime's names.
	SessionID, Capsule, Version, URL, TaskID, ContextID string
	// Spawner is nil for a capsule that nobody delegated.
	Spawner *handle.Spawner
}

// GuestEnv composes the environment of a guest: names allowed and given, in the order of Allow and each once, then the
// runtime's own, the spawner last. Names that belong to the runtime, are empty or could not be told apart in an environment
// (with "=" or NUL, or NUL in the value) are left out of the first part.
func GuestEnv(g Guest) []string {
	env := make([]string, 0, len(g.Allow)+7)
	for name, value := range Allowed(g.Allow, g.Values) {
		env = append(env, name+"="+value)
	}
	env = append(env,
		"MURMUR_SESSION_ID="+g.SessionID,
		"MURMUR_CAPSULE_NAME="+g.Capsule,
		"MURMUR_CAPSULE_VERSION="+g.Version,
		"MURMUR_CAPSULE_URL="+g.URL,
		"MURMUR_TASK_ID="+g.TaskID,
		"MURMUR_CONTEXT_ID="+g.ContextID,
	)
	if g.Spawner != nil {
		env = append(env, handle.SpawnerEnv+"="+g.Spawner.EnvValue())
	}
	return env
}

// Allowed yields the names of allow that have a value and may carry one, in order and each once.
func Allowed(allow []string, values map[string]string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		seen := make(map[string]bool, len(allow))
		for _, name := range allow {
			value, given := values[name]
			if !given || seen[name] || owned(name) || !tellable(name, value) {
				continue
			}
			seen[name] = true
			if !yield(name, value) {
				return
			}
		}
	}
}

// owned says that a name is the runtime's: every MURMUR_ name, today's and later ones, and the two that a child launch
// of the format sets itself.
func owned(name string) bool {
	return strings.HasPrefix(name, "MURMUR_") || name == "PATH" || name == "HOME"
}

func tellable(name, value string) bool {
	return name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00")
}
